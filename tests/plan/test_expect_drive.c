/* Driving plans in virtual time: SHARC Figure 3, DD-list tables 1 to 3, and the slots of DESIGN. */
#include "plan/expect.h"

#include <math.h>
#include <string.h>

#include "plan/fixture.h"

/* The names of the pages, one after another without the p. */
static void spell(const struct site *s, const struct u32_vec *pages, char *out, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < pages->len && at + 1 < size; i++)
		out[at++] = s->names[pages->ptr[i]].ptr[1];
	out[at] = '\0';
}

static int run(const struct site *s, const char *strategy, double delay, struct drive_result *ret)
{
	static const uint32_t root[] = {0};
	struct drive_params params = {
		.site = s,
		.plan = {.strategy = plan_strategy_find(strategy, false), .delay = delay},
		.seeds = root,
		.seed_count = 1,
	};
	struct err err = {0};
	int rc = drive(&params, ret, &err);

	if (!CHECK_INT(rc, 0))
		tap_note("%s", err.text);
	return rc;
}

static void test_orders(void)
{
	static const struct {
		const char *strategy, *visits, *revisits;
	} rows[] = {
		{"dfs", "013425", ""},           /* Table 1 */
		{"bfs", "012345", ""},           /* section 9.1 */
		{"sharc-online", "014325", ""},  /* Table 3 */
		{"sharc-offline", "024531", ""}, /* Example 2 */
		{"hottest-first", "025143", ""}, /* what is hottest of what is known */
		{"bfs-fifo", "012345", "012345"}, {"dfs-lifo", "013425", "524310"},
		{"sharc-revisits", "024531", "024531"}, /* Example 7 */
	};
	struct site s = fixture_site(FIXTURE_FIGURE_3);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct drive_result c;
		char text[16];

		tap_case("orders: %s", rows[i].strategy);
		if (run(&s, rows[i].strategy, 1, &c))
			continue;
		spell(&s, &c.visits, text, sizeof text);
		CHECK_STR(text, rows[i].visits);
		spell(&s, &c.revisits, text, sizeof text);
		CHECK_STR(text, rows[i].revisits);
		CHECK_INT(c.unreached.len, 0);
		drive_release(&c);
	}
	site_release(&s);
}

/* Slots by page for p0, p1, … p5, and the times they stand for. */
static void test_slots(void)
{
	static const struct {
		const char *strategy;
		int visit[6], revisit[6];
		bool single;
	} rows[] = {
		{"bfs", {0, 1, 2, 3, 4, 5}, {0}, true},
		{"bfs-fifo", {-5, -4, -3, -2, -1, 0}, {1, 2, 3, 4, 5, 6}, false},
		{"sharc-revisits", {-5, 0, -4, -1, -3, -2}, {1, 6, 2, 5, 3, 4}, false},
		{"bfs-lifo", {-5, -4, -3, -2, -1, 0}, {5, 4, 3, 2, 1, 0}, false},
		{"hottest-middle-offline", {-5, -4, -3, -2, -1, 0}, {5, 4, 3, 2, 1, 0}, false},
	};
	static const double delay = 0.1;
	struct site s = fixture_site(FIXTURE_FIGURE_3);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct drive_result c;

		tap_case("slots: %s", rows[i].strategy);
		if (run(&s, rows[i].strategy, delay, &c))
			continue;
		CHECK_INT(c.single, rows[i].single);
		for (uint32_t p = 0; p < 6; p++) {
			double length = delay * (rows[i].revisit[p] - rows[i].visit[p]);

			CHECK_INT(drive_visit_slot(&c, p), rows[i].visit[p]);
			if (rows[i].single) {
				CHECK(isnan(c.revisited_at[p]));
				continue;
			}
			CHECK_INT(drive_revisit_slot(&c, p), rows[i].revisit[p]);
			CHECK_NEAR(c.revisited_at[p] - c.visited_at[p], length, 1e-15);
		}
		drive_release(&c);
	}
	site_release(&s);
}

/* A page found by two links is downloaded once; what cannot be reached is not downloaded. */
static void test_reached(void)
{
	static const char *const strategies[] = {"bfs-fifo", "dfs-lifo", "sharc-offline",
		"sharc-selective-offline", "solar-online", "stillpoint-offline",
		"stillpoint-online"};
	struct site s = fixture_site("page,rate,links\n"
				     "p0,0.1,p2 p4\n"
				     "p1,0.2,p0\n"
				     "p2,0.3,p4 p0 p4 p2\n"
				     "p3,0.4,\n"
				     "p4,0.5,p2\n");

	for (size_t i = 0; i < ARRAY_LEN(strategies); i++) {
		struct drive_result c;
		char text[16];

		tap_case("reached: %s", strategies[i]);
		if (run(&s, strategies[i], 1, &c))
			continue;
		CHECK_INT(c.visits.len, 3);
		CHECK_INT(c.revisits.len, c.single ? 0 : 3);
		spell(&s, &c.unreached, text, sizeof text);
		CHECK_STR(text, "13");
		CHECK(isnan(c.visited_at[1]) && isnan(c.visited_at[3]));
		CHECK(!isnan(c.visited_at[0]) && !isnan(c.visited_at[2]) &&
			!isnan(c.visited_at[4]));
		drive_release(&c);
	}
	site_release(&s);
}

/* Without seeds all pages are known, in their order. */
static void test_all_known(void)
{
	struct site s = fixture_site("page,rate\np0,3\np1,1\np2,2\n");
	struct drive_params params = {
		.site = &s,
		.plan = {.strategy = plan_strategy_find("bfs-lifo", true), .delay = 1},
	};
	struct drive_result c;
	struct err err = {0};
	char text[16];

	if (CHECK_INT(drive(&params, &c, &err), 0)) {
		spell(&s, &c.visits, text, sizeof text);
		CHECK_STR(text, "012");
		CHECK_INT(c.unreached.len, 0);
		drive_release(&c);
	}
	site_release(&s);
}

/* The size that is said reaches the strategy: SHARC-online fills other slots. */
static void test_size(void)
{
	static const uint32_t root[] = {0};
	struct site s = fixture_site(FIXTURE_FIGURE_3);
	struct drive_params params = {
		.site = &s,
		.plan = {.strategy = plan_strategy_find("sharc-online", false),
			.delay = 1,
			.size = 60},
		.seeds = root,
		.seed_count = 1,
	};
	struct drive_result c;
	struct err err = {0};
	char text[16];

	if (CHECK_INT(drive(&params, &c, &err), 0)) {
		spell(&s, &c.visits, text, sizeof text);
		CHECK(strcmp(text, "014325") != 0);
		drive_release(&c);
	}
	site_release(&s);
}

/* Visits and revisits of a site whose downloads fail: tried again behind the others. */
static void test_failures(void)
{
	static const char *const strategies[] = {"bfs-fifo", "sharc-online", "stillpoint-offline"};
	struct site s = fixture_site(FIXTURE_FIGURE_3);

	for (size_t i = 0; i < ARRAY_LEN(strategies); i++) {
		static const uint32_t root[] = {0};
		struct rng rng;
		struct drive_params params = {
			.site = &s,
			.plan = {.strategy = plan_strategy_find(strategies[i], false),
				.delay = 1,
				.attempts = 200},
			.seeds = root,
			.seed_count = 1,
			.faults = {.rng = &rng, .failure = 0.5},
		};
		struct drive_result c;
		struct err err = {0};

		tap_case("failures: %s", strategies[i]);
		rng_init(&rng, 4);
		if (CHECK_INT(drive(&params, &c, &err), 0)) {
			size_t good = c.visits.len + c.revisits.len;

			CHECK_INT(c.visits.len, 6);
			CHECK_INT(c.revisits.len, c.single ? 0 : 6);
			/* Failed downloads take their time too. */
			CHECK(c.end > (double)good);
			for (uint32_t p = 0; p < 6 && !c.single; p++)
				CHECK(c.visited_at[p] <= c.revisited_at[p]);
			drive_release(&c);
		}
	}
	site_release(&s);
}

/* With one attempt half of the pages are lost; with the root, all are. */
static void test_given_up(void)
{
	struct site s = fixture_site("page,rate\na,0\nb,0\nc,0\nd,0\ne,0\nf,0\ng,0\nh,0\n");
	struct rng rng;
	struct drive_params params = {
		.site = &s,
		.plan = {.strategy = plan_strategy_find("bfs-fifo", true),
			.delay = 1,
			.attempts = 1},
		.faults = {.rng = &rng, .failure = 0.5},
	};
	struct drive_result c;
	struct err err = {0};

	rng_init(&rng, 2);
	if (CHECK_INT(drive(&params, &c, &err), 0)) {
		CHECK(c.visits.len > 0 && c.visits.len < 8);
		CHECK(c.revisits.len < c.visits.len);
		CHECK_NEAR(c.end, (double)(8 + c.visits.len) - 1, 0);
		for (size_t i = 0; i < c.revisits.len; i++)
			CHECK(!isnan(c.visited_at[c.revisits.ptr[i]]));
		drive_release(&c);
	}
	site_release(&s);
}

/* Links that come late are found at the revisit, and their pages downloaded once, at the end. */
static void test_late(void)
{
	static const uint32_t root[] = {0};
	struct site s = fixture_site(FIXTURE_FIGURE_3);
	struct rng rng;
	struct drive_params params = {
		.site = &s,
		.plan = {.strategy = plan_strategy_find("bfs-lifo", false), .delay = 1},
		.seeds = root,
		.seed_count = 1,
		.faults = {.rng = &rng, .late = 1},
	};
	struct drive_result c;
	struct err err = {0};
	char text[16];

	rng_init(&rng, 1);
	if (CHECK_INT(drive(&params, &c, &err), 0)) {
		CHECK_INT(c.visits.len, 1);
		CHECK_INT(c.revisits.len, 1);
		spell(&s, &c.late, text, sizeof text);
		CHECK_STR(text, "12345");
		CHECK_NEAR(c.visited_at[5], 5, 0);
		CHECK(isnan(c.revisited_at[5]));
		CHECK_NEAR(c.end, 5, 0);
		drive_release(&c);
	}
	site_release(&s);
}

/* What a strategy is told decides its order; hottest first by lies is coldest first. */
static void test_told(void)
{
	const struct survival told[] = {
		survival_poisson(1), survival_poisson(3), survival_poisson(2)};
	struct site s = fixture_site("page,rate\np0,3\np1,1\np2,2\n");
	struct drive_params params = {
		.site = &s,
		.told = told,
		.plan = {.strategy = plan_strategy_find("hottest-first", true), .delay = 1},
	};
	struct drive_result c;
	struct err err = {0};
	char text[16];

	if (CHECK_INT(drive(&params, &c, &err), 0)) {
		spell(&s, &c.visits, text, sizeof text);
		CHECK_STR(text, "120");
		drive_release(&c);
	}
	site_release(&s);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_orders();
	test_slots();
	test_reached();
	TAP_RUN(test_all_known);
	TAP_RUN(test_size);
	test_failures();
	TAP_RUN(test_given_up);
	TAP_RUN(test_late);
	TAP_RUN(test_told);
	return tap_done();
}
