/*
 * Captures with a limit: what each aim makes of a quarter, a half or three quarters of the
 * downloads that two legs over all pages take. The last column knows all pages beforehand and
 * chooses among them: with aim sharp no strategy can expect more sharp pages.
 */
#include "papers/tables.h"

/* clang-format off */
#define ROW(LINKS, RATES, NAME, CHANGES, SHARE, AIM, WORD) \
	{.label = WORD ",limit=" #SHARE "," NAME ",changes=" #CHANGES, .site = {.n = 250}, \
	 .kind = {KIND_##LINKS, KIND_##RATES, CHANGES, 250}, .delay = 1, .runs = 16, \
	 .aim = PLAN_##AIM, .limit = SHARE}
#define CHANGES(LINKS, RATES, NAME, SHARE, AIM, WORD) \
	ROW(LINKS, RATES, NAME, 0.3, SHARE, AIM, WORD), ROW(LINKS, RATES, NAME, 3, SHARE, AIM, WORD)
#define KINDS(SHARE, AIM, WORD) \
	CHANGES(SECTIONS, PARETO, "sections,pareto", SHARE, AIM, WORD), \
	CHANGES(LISTS, HOT_LISTS, "lists,hot-lists", SHARE, AIM, WORD), \
	CHANGES(COPIED, GAMMA, "copied,gamma", SHARE, AIM, WORD), \
	CHANGES(FLAT, PARETO, "flat,pareto", SHARE, AIM, WORD)
#define SHARES(AIM, WORD) \
	KINDS(0.25, AIM, WORD), KINDS(0.5, AIM, WORD), KINDS(0.75, AIM, WORD)
/* clang-format on */

static const struct table_row ROWS[] = {
	SHARES(SHARP, "sharp"),
	SHARES(BALANCED, "balanced"),
	SHARES(COMPLETE, "complete"),
	{.label = NULL},
};

static const char *const COLUMNS[] = {
	"bfs-lifo", "sharc-selective-online", "stillpoint-online", "stillpoint-offline", NULL};

static const struct table_note NOTES[] = {
	{NULL, "stillpoint-offline", "knows all pages beforehand"},
	{.text = NULL},
};

const struct table TABLES_LIMITS[] = {
	{"limits", "Sharp and captured pages when the time is too short", TABLE_CAPTURE,
		.columns = COLUMNS, .rows = ROWS, .notes = NOTES},
	{.name = NULL},
};
