#include "papers/tables.h"

#include <string.h>

/*
 * The experiments of SOLAR section 6: expected and counted sharp pages of 1000. Tau is given only
 * for the smooth set; the skewed one is shown with that tau and with the one that comes nearest to
 * what is printed. Two more rows are SHARC's rates at that size, for which no paper has figures.
 */

/* clang-format off */
#define SITE(RATES) {.n = 1000, .outdegree = 10, .root = 20, .skew = 1.2, .rates = SYNTHETIC_##RATES}
/* clang-format on */

static const char *const OFFLINE_COLUMNS[] = {"sharc-threshold", "hottest-middle-offline",
	"solar-offline", "sharc-selective-offline", "stillpoint-offline", NULL};

static const char *const SOLAR_ONLINE_COLUMNS[] = {"hottest-middle-online", "solar-online",
	"sharc-selective-online", "stillpoint-online", NULL};

static const struct table_row SOLAR_1[] = {
	{"skewed", SITE(SKEWED), 1, .printed = {682, 647, 710},
		.printed_expected = {684.286, 649.577, 704.041}},
	{"skewed,tau=0.2", SITE(SKEWED), 1, .tau = 0.2, .printed = {682, 647, 710},
		.printed_expected = {684.286, 649.577, 704.041}},
	{"smooth", SITE(SMOOTH), 1, .printed = {493, 493, 515},
		.printed_expected = {492.864, 492.864, 515.249}},
	{"zipf", SITE(ZIPF), .delay = 1},
	{"zipf,slow-down=5", SITE(ZIPF), .delay = 5},
	{.label = NULL},
};

static const struct table_row SOLAR_2[] = {
	{"skewed", SITE(SKEWED), 1, .printed = {669, 679}, .printed_expected = {672.271, 680.421}},
	{"smooth", SITE(SMOOTH), 1, .printed = {449, 455}, .printed_expected = {455.512, 459.799}},
	{.label = NULL},
};

#define OPTIMUM "exact: no schedule can expect more"

static const struct table_note SOLAR_1_NOTES[] = {
	{"skewed", "solar-offline", "no tau gives the printed figure; 0.2 comes nearest"},
	{"skewed,tau=0.2", "solar-offline", "no tau gives the printed figure; 0.2 comes nearest"},
	{"smooth", "solar-offline", "the printed figure is 0.04 higher, cause unknown"},
	{"skewed", "sharc-threshold",
		"the paper gives neither tau nor the rule; tau 0.2 is nearest"},
	{"skewed,tau=0.2", "sharc-threshold",
		"the paper gives neither tau nor the rule; tau 0.2 is nearest"},
	{NULL, "stillpoint-offline", OPTIMUM},
	{.text = NULL},
};

static const struct table_note SOLAR_2_NOTES[] = {
	{NULL, "solar-online", "not reproduced by any reading of Algorithm 2"},
	{.text = NULL},
};

const struct table TABLES_SOLAR[] = {
	{"solar-1", "Sharp pages of 1000, all pages known", TABLE_COHERENCE, .in_order = true,
		.columns = OFFLINE_COLUMNS, .rows = SOLAR_1, .notes = SOLAR_1_NOTES},
	{"solar-2", "Sharp pages of 1000, pages found on the way", TABLE_COHERENCE,
		.in_order = true, .columns = SOLAR_ONLINE_COLUMNS, .rows = SOLAR_2,
		.notes = SOLAR_2_NOTES},
	{.name = NULL},
};

/*
 * Captures of four hosts with pauses of 0.1, 0.3, 1 and 3 s that share one barrier. ":eager" is one
 * sequence for each host, all begun at once, with a barrier that nobody plans. The bound is the
 * optimum of every host on its own.
 */

/* clang-format off */
#define SERVERS_ROW(LINKS, RATES, NAME, SERVERS_CHANGES, SPREAD, WORD) \
	{.label = WORD "," NAME ",changes=" #SERVERS_CHANGES, .site = {.n = 400}, \
	 .kind = {KIND_##LINKS, KIND_##RATES, SERVERS_CHANGES, 400}, .delay = 1, .runs = 16, \
	 .fleet = {4, {0.1, 0.3, 1, 3}, FLEET_##SPREAD}}
#define SERVERS_CHANGES(LINKS, RATES, NAME, SPREAD, WORD) \
	SERVERS_ROW(LINKS, RATES, NAME, 0.3, SPREAD, WORD), SERVERS_ROW(LINKS, RATES, NAME, 1, SPREAD, WORD), \
	SERVERS_ROW(LINKS, RATES, NAME, 3, SPREAD, WORD)
#define SERVERS_KINDS(SPREAD, WORD) \
	SERVERS_CHANGES(SECTIONS, PARETO, "sections,pareto", SPREAD, WORD), \
	SERVERS_CHANGES(LISTS, HOT_LISTS, "lists,hot-lists", SPREAD, WORD), \
	SERVERS_CHANGES(COPIED, GAMMA, "copied,gamma", SPREAD, WORD), \
	SERVERS_CHANGES(FLAT, PARETO, "flat,pareto", SPREAD, WORD)
/* clang-format on */

static const struct table_row SERVERS_ROWS[] = {
	SERVERS_KINDS(RANDOM, "random"),
	SERVERS_KINDS(LEAVES, "leaves"),
	SERVERS_KINDS(TIMES, "times"),
	{.label = NULL},
};

static const char *const SERVERS_COLUMNS[] = {"bfs-lifo:eager", "stillpoint-online:eager",
	"stillpoint-online", "stillpoint-offline:eager", "stillpoint-offline", "bound", NULL};

static const struct table_note SERVERS_NOTES[] = {
	{NULL, "bound", "every host on its own, all pages known"},
	{.text = NULL},
};

const struct table TABLES_SERVERS[] = {
	{"servers-4", "Sharp pages of four hosts with one barrier", TABLE_COHERENCE,
		.columns = SERVERS_COLUMNS, .rows = SERVERS_ROWS, .notes = SERVERS_NOTES},
	{.name = NULL},
};

/*
 * Online strategies on 180 kinds of sites: link structure x rates x changes per page during the
 * capture x pages. The last column knows all pages beforehand: no strategy can expect more, and
 * none that must find the pages reaches it. One table for each size that strategies are told.
 */

/* clang-format off */
#define ONLINE_ROW(LINKS, RATES, NAME, ONLINE_CHANGES, PAGES, RUNS) \
	{.label = NAME ",changes=" #ONLINE_CHANGES ",pages=" #PAGES, .site = {.n = PAGES}, \
	 .kind = {KIND_##LINKS, KIND_##RATES, ONLINE_CHANGES, PAGES}, .delay = 1, .runs = RUNS}
#define SIZES(LINKS, RATES, NAME, ONLINE_CHANGES) \
	ONLINE_ROW(LINKS, RATES, NAME, ONLINE_CHANGES, 50, 32), ONLINE_ROW(LINKS, RATES, NAME, ONLINE_CHANGES, 250, 8), \
	ONLINE_ROW(LINKS, RATES, NAME, ONLINE_CHANGES, 1500, 2)
#define ONLINE_CHANGES(LINKS, RATES, NAME) \
	SIZES(LINKS, RATES, NAME, 0.3), SIZES(LINKS, RATES, NAME, 1), SIZES(LINKS, RATES, NAME, 3)
#define RATES(LINKS, NAME) \
	ONLINE_CHANGES(LINKS, PARETO, NAME ",pareto"), ONLINE_CHANGES(LINKS, GAMMA, NAME ",gamma"), \
	ONLINE_CHANGES(LINKS, HOT_LISTS, NAME ",hot-lists"), ONLINE_CHANGES(LINKS, COLD_TOP, NAME ",cold-top")
/* clang-format on */

static const struct table_row ONLINE_ROWS[] = {
	RATES(SECTIONS, "sections"),
	RATES(LISTS, "lists"),
	RATES(COPIED, "copied"),
	RATES(NARROW, "narrow"),
	RATES(FLAT, "flat"),
	{.label = NULL},
};

static const char *const ONLINE_COLUMNS[] = {"bfs-fifo", "bfs-lifo", "dfs-fifo", "dfs-lifo",
	"hottest-first-fifo", "hottest-first-lifo", "hottest-last-fifo", "hottest-last-lifo",
	"sharc-selective-online", "hottest-middle-online", "solar-online", "stillpoint-online",
	"stillpoint-offline", "bound-online", NULL};

static const struct table_note ONLINE_NOTES[] = {
	{NULL, "stillpoint-offline", "knows all pages beforehand"},
	{NULL, "bound-online", "no strategy that finds pages by their links can expect more"},
	{.text = NULL},
};

const struct table TABLES_ONLINE[] = {
	{"online-exact", "Sharp pages of 180 kinds of sites, size told", TABLE_COHERENCE,
		.columns = ONLINE_COLUMNS, .leader = "stillpoint-online", .rows = ONLINE_ROWS,
		.notes = ONLINE_NOTES},
	{"online-half", "The same, half the size told", TABLE_COHERENCE, .size_error = -0.5,
		.columns = ONLINE_COLUMNS, .leader = "stillpoint-online", .rows = ONLINE_ROWS,
		.notes = ONLINE_NOTES},
	{"online-twice", "The same, twice the size told", TABLE_COHERENCE, .size_error = 1,
		.columns = ONLINE_COLUMNS, .leader = "stillpoint-online", .rows = ONLINE_ROWS,
		.notes = ONLINE_NOTES},
	{"online-none", "The same, no size told", TABLE_COHERENCE, .size_unknown = true,
		.columns = ONLINE_COLUMNS, .leader = "stillpoint-online", .rows = ONLINE_ROWS,
		.notes = ONLINE_NOTES},
	{.name = NULL},
};

/*
 * Captures with a limit: what each aim makes of a quarter, a half or three quarters of the
 * downloads that two legs over all pages take. The last column knows all pages beforehand and
 * chooses among them: with aim sharp no strategy can expect more sharp pages.
 */

/* clang-format off */
#define LIMITS_ROW(LINKS, RATES, NAME, LIMITS_CHANGES, SHARE, AIM, WORD) \
	{.label = WORD ",limit=" #SHARE "," NAME ",changes=" #LIMITS_CHANGES, .site = {.n = 250}, \
	 .kind = {KIND_##LINKS, KIND_##RATES, LIMITS_CHANGES, 250}, .delay = 1, .runs = 16, \
	 .aim = PLAN_##AIM, .limit = SHARE}
#define LIMITS_CHANGES(LINKS, RATES, NAME, SHARE, AIM, WORD) \
	LIMITS_ROW(LINKS, RATES, NAME, 0.3, SHARE, AIM, WORD), LIMITS_ROW(LINKS, RATES, NAME, 3, SHARE, AIM, WORD)
#define LIMITS_KINDS(SHARE, AIM, WORD) \
	LIMITS_CHANGES(SECTIONS, PARETO, "sections,pareto", SHARE, AIM, WORD), \
	LIMITS_CHANGES(LISTS, HOT_LISTS, "lists,hot-lists", SHARE, AIM, WORD), \
	LIMITS_CHANGES(COPIED, GAMMA, "copied,gamma", SHARE, AIM, WORD), \
	LIMITS_CHANGES(FLAT, PARETO, "flat,pareto", SHARE, AIM, WORD)
#define SHARES(AIM, WORD) \
	LIMITS_KINDS(0.25, AIM, WORD), LIMITS_KINDS(0.5, AIM, WORD), LIMITS_KINDS(0.75, AIM, WORD)
/* clang-format on */

static const struct table_row LIMITS_ROWS[] = {
	SHARES(SHARP, "sharp"),
	SHARES(BALANCED, "balanced"),
	SHARES(COMPLETE, "complete"),
	{.label = NULL},
};

static const char *const LIMITS_COLUMNS[] = {
	"bfs-lifo", "sharc-selective-online", "stillpoint-online", "stillpoint-offline", NULL};

static const struct table_note LIMITS_NOTES[] = {
	{NULL, "stillpoint-offline", "knows all pages beforehand"},
	{.text = NULL},
};

const struct table TABLES_LIMITS[] = {
	{"limits", "Sharp and captured pages when the time is too short", TABLE_CAPTURE,
		.columns = LIMITS_COLUMNS, .rows = LIMITS_ROWS, .notes = LIMITS_NOTES},
	{.name = NULL},
};

/*
 * Whole groups: 60 pages with four requisites each, and a style sheet that belongs to all
 * of them. ":apart" plans as if every page and requisite stood for itself. What is counted are
 * pages that are sharp together with all their requisites; pages and requisites in no group count
 * for themselves.
 */

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

const struct table *table_at(size_t i)
{
	static const struct table *const PAPERS[] = {TABLES_SHARC, TABLES_SOLAR, TABLES_ONLINE,
		TABLES_LIMITS, TABLES_SERVERS, TABLES_GROUPS};

	for (size_t p = 0; p < sizeof PAPERS / sizeof PAPERS[0]; p++)
		for (const struct table *t = PAPERS[p]; t->name; t++)
			if (i-- == 0)
				return t;
	return NULL;
}

const struct table *table_find(const char *name)
{
	const struct table *t;

	for (size_t i = 0; (t = table_at(i)); i++)
		if (strcmp(t->name, name) == 0)
			return t;
	return NULL;
}
