/*
 * Whole groups: 60 pages with four requisites each, and a style sheet that belongs to all
 * of them. ":apart" plans as if every page and requisite stood for itself. What is counted are
 * pages that are sharp together with all their requisites; pages and requisites in no group count
 * for themselves.
 */
#include "papers/tables.h"

/* clang-format off */
#define ROW(LINKS, RATES, NAME, CHANGES, N) \
	{.label = #N "," NAME ",changes=" #CHANGES, .site = {.n = N}, \
	 .kind = {KIND_##LINKS, KIND_##RATES, CHANGES, N}, .delay = 1, .runs = 8, .requisites = 4}
#define CHANGES(LINKS, RATES, NAME, N) \
	ROW(LINKS, RATES, NAME, 0.3, N), ROW(LINKS, RATES, NAME, 1, N), \
	ROW(LINKS, RATES, NAME, 3, N)
#define KINDS(N) \
	CHANGES(SECTIONS, PARETO, "sections,pareto", N), \
	CHANGES(LISTS, HOT_LISTS, "lists,hot-lists", N), \
	CHANGES(COPIED, GAMMA, "copied,gamma", N), \
	CHANGES(FLAT, PARETO, "flat,pareto", N)
/* clang-format on */

static const struct table_row ROWS[] = {
	KINDS(60),
	{.label = NULL},
};

static const char *const COLUMNS[] = {"stillpoint-online:apart", "stillpoint-online",
	"stillpoint-offline:apart", "stillpoint-offline", "bound", NULL};

static const struct table_note NOTES[] = {
	{NULL, "bound", "of groups, all pages known"},
	{.text = NULL},
};

const struct table TABLES_GROUPS[] = {
	{"groups", "Pages that are sharp with all their requisites", TABLE_COHERENCE,
		.columns = COLUMNS, .rows = ROWS, .notes = NOTES},
	{.name = NULL},
};
