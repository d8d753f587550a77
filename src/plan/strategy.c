/* The table of strategies: a visit order, a revisit order, and how the papers number its slots. */
#include <string.h>

#include "plan/order.h"
#include "plan/plan.h"

static const struct plan_strategy strategies[] = {
	/* single visit: SHARC sections 4, 5 and 9.1 */
	{"bfs", "breadth first", &visit_bfs, NULL, false, false},
	{"dfs", "depth first", &visit_dfs, NULL, false, false},
	{"hottest-first", "the hottest page found so far", &visit_hottest_first, NULL, false,
		false},
	{"hottest-last", "the coldest page found so far", &visit_hottest_last, NULL, false, false},
	{"sharc-offline", "organ pipe: least blur for known pages", &visit_sharc_offline, NULL,
		true, false},
	{"sharc-online", "organ pipe built while discovering", &visit_sharc_online, NULL, false,
		false},

	/* visit and revisit: SHARC sections 7 and 9.1 */
	{"bfs-fifo", "breadth first twice", &visit_bfs, &revisit_fifo, false, false},
	{"bfs-lifo", "breadth first, then back", &visit_bfs, &revisit_lifo, false, true},
	{"dfs-fifo", "depth first twice", &visit_dfs, &revisit_fifo, false, false},
	{"dfs-lifo", "depth first, then back", &visit_dfs, &revisit_lifo, false, true},
	{"hottest-first-fifo", "hot to cold twice", &visit_hottest_first, &revisit_fifo, false,
		false},
	{"hottest-first-lifo", "hot to cold, then back", &visit_hottest_first, &revisit_lifo, false,
		true},
	{"hottest-last-fifo", "cold to hot twice", &visit_hottest_last, &revisit_fifo, false,
		false},
	{"hottest-last-lifo", "cold to hot, then back", &visit_hottest_last, &revisit_lifo, false,
		true},
	{"sharc-revisits", "organ pipe twice: little blur, changes seen", &visit_sharc_offline,
		&revisit_fifo, true, false},
	{"sharc-selective-offline", "pyramid that gives hopeless pages up",
		&visit_selective_offline, &revisit_lifo, true, true},
	{"sharc-selective-online", "the same while discovering", &visit_selective_online,
		&revisit_lifo, false, true},

	/* visit and revisit: SOLAR sections 4 to 6 */
	{"sharc-threshold", "pyramid that gives up what exceeds its confidence length",
		&visit_threshold, &revisit_lifo, true, true},
	{"hottest-middle-offline", "pyramid, hottest page innermost", &visit_hottest_last,
		&revisit_lifo, true, true},
	{"hottest-middle-online", "coldest found first, revisits from hot to cold",
		&visit_hottest_last, &revisit_hottest_first, false, true},
	{"solar-offline", "confidence intervals fitted around the still point",
		&visit_solar_offline, &revisit_solar, true, true},
	{"solar-online", "the same while discovering", &visit_solar_online, &revisit_solar, false,
		true},

	/* visit and revisit: ours, docs/planning.md */
	{"stillpoint-offline", "most pages expected sharp, with proof", &visit_stillpoint_offline,
		&revisit_stillpoint, true, true},
	{"stillpoint-online", "the same while discovering", &visit_stillpoint_online,
		&revisit_stillpoint, false, true},
};

const struct plan_strategy *plan_strategy_at(size_t i)
{
	return i < sizeof strategies / sizeof strategies[0] ? &strategies[i] : NULL;
}

/* Whether name is base followed by suffix. */
static bool is_joined(const char *name, const char *base, const char *suffix)
{
	size_t len = strlen(base);

	return strncmp(name, base, len) == 0 && strcmp(name + len, suffix) == 0;
}

const struct plan_strategy *plan_strategy_find(const char *name, bool all_known)
{
	const struct plan_strategy *s;

	for (size_t i = 0; (s = plan_strategy_at(i)); i++)
		if (strcmp(s->name, name) == 0)
			return s;
	for (size_t i = 0; (s = plan_strategy_at(i)); i++)
		if (is_joined(s->name, name, all_known ? "-offline" : "-online"))
			return s;
	return NULL;
}
