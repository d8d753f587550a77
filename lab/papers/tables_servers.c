/*
 * Captures of four hosts with pauses of 0.1, 0.3, 1 and 3 s that share one barrier. ":eager" is one
 * sequence for each host, all begun at once, with a barrier that nobody plans. The bound is the
 * optimum of every host on its own.
 */
#include "papers/tables.h"

/* clang-format off */
#define ROW(LINKS, RATES, NAME, CHANGES, SPREAD, WORD) \
	{.label = WORD "," NAME ",changes=" #CHANGES, .site = {.n = 400}, \
	 .kind = {KIND_##LINKS, KIND_##RATES, CHANGES, 400}, .delay = 1, .runs = 16, \
	 .fleet = {4, {0.1, 0.3, 1, 3}, FLEET_##SPREAD}}
#define CHANGES(LINKS, RATES, NAME, SPREAD, WORD) \
	ROW(LINKS, RATES, NAME, 0.3, SPREAD, WORD), ROW(LINKS, RATES, NAME, 1, SPREAD, WORD), \
	ROW(LINKS, RATES, NAME, 3, SPREAD, WORD)
#define KINDS(SPREAD, WORD) \
	CHANGES(SECTIONS, PARETO, "sections,pareto", SPREAD, WORD), \
	CHANGES(LISTS, HOT_LISTS, "lists,hot-lists", SPREAD, WORD), \
	CHANGES(COPIED, GAMMA, "copied,gamma", SPREAD, WORD), \
	CHANGES(FLAT, PARETO, "flat,pareto", SPREAD, WORD)
/* clang-format on */

static const struct table_row ROWS[] = {
	KINDS(RANDOM, "random"),
	KINDS(LEAVES, "leaves"),
	KINDS(TIMES, "times"),
	{.label = NULL},
};

static const char *const COLUMNS[] = {"bfs-lifo:eager", "stillpoint-online:eager",
	"stillpoint-online", "stillpoint-offline:eager", "stillpoint-offline", "bound", NULL};

static const struct table_note NOTES[] = {
	{NULL, "bound", "every host on its own, all pages known"},
	{.text = NULL},
};

const struct table TABLES_SERVERS[] = {
	{"servers-4", "Sharp pages of four hosts with one barrier", TABLE_COHERENCE,
		.columns = COLUMNS, .rows = ROWS, .notes = NOTES},
	{.name = NULL},
};
