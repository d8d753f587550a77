/*
 * Online strategies on 180 kinds of sites: link structure x rates x changes per page during the
 * capture x pages. The last column knows all pages beforehand: no strategy can expect more, and
 * none that must find the pages reaches it. One table for each size that strategies are told.
 */
#include "papers/tables.h"

/* clang-format off */
#define ROW(LINKS, RATES, NAME, CHANGES, PAGES, RUNS) \
	{.label = NAME ",changes=" #CHANGES ",pages=" #PAGES, .site = {.n = PAGES}, \
	 .kind = {KIND_##LINKS, KIND_##RATES, CHANGES, PAGES}, .delay = 1, .runs = RUNS}
#define SIZES(LINKS, RATES, NAME, CHANGES) \
	ROW(LINKS, RATES, NAME, CHANGES, 50, 32), ROW(LINKS, RATES, NAME, CHANGES, 250, 8), \
	ROW(LINKS, RATES, NAME, CHANGES, 1500, 2)
#define CHANGES(LINKS, RATES, NAME) \
	SIZES(LINKS, RATES, NAME, 0.3), SIZES(LINKS, RATES, NAME, 1), SIZES(LINKS, RATES, NAME, 3)
#define RATES(LINKS, NAME) \
	CHANGES(LINKS, PARETO, NAME ",pareto"), CHANGES(LINKS, GAMMA, NAME ",gamma"), \
	CHANGES(LINKS, HOT_LISTS, NAME ",hot-lists"), CHANGES(LINKS, COLD_TOP, NAME ",cold-top")
/* clang-format on */

static const struct table_row ROWS[] = {
	RATES(SECTIONS, "sections"),
	RATES(LISTS, "lists"),
	RATES(COPIED, "copied"),
	RATES(NARROW, "narrow"),
	RATES(FLAT, "flat"),
	{.label = NULL},
};

static const char *const COLUMNS[] = {"bfs-fifo", "bfs-lifo", "dfs-fifo", "dfs-lifo",
	"hottest-first-fifo", "hottest-first-lifo", "hottest-last-fifo", "hottest-last-lifo",
	"sharc-selective-online", "hottest-middle-online", "solar-online", "stillpoint-online",
	"stillpoint-offline", "bound-online", NULL};

static const struct table_note NOTES[] = {
	{NULL, "stillpoint-offline", "knows all pages beforehand"},
	{NULL, "bound-online", "no strategy that finds pages by their links can expect more"},
	{.text = NULL},
};

const struct table TABLES_ONLINE[] = {
	{"online-exact", "Sharp pages of 180 kinds of sites, size told", TABLE_COHERENCE,
		.columns = COLUMNS, .leader = "stillpoint-online", .rows = ROWS, .notes = NOTES},
	{"online-half", "The same, half the size told", TABLE_COHERENCE, .size_error = -0.5,
		.columns = COLUMNS, .leader = "stillpoint-online", .rows = ROWS, .notes = NOTES},
	{"online-twice", "The same, twice the size told", TABLE_COHERENCE, .size_error = 1,
		.columns = COLUMNS, .leader = "stillpoint-online", .rows = ROWS, .notes = NOTES},
	{"online-none", "The same, no size told", TABLE_COHERENCE, .size_unknown = true,
		.columns = COLUMNS, .leader = "stillpoint-online", .rows = ROWS, .notes = NOTES},
	{.name = NULL},
};
