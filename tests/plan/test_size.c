/* How many pages a site has: guesses, what becomes of a given size, and what a run makes of them.
 */
#include "plan/size.h"

#include "graphs.h"
#include "plan/order.h"

static void test_guesses(void)
{
	static const struct {
		const char *label;
		double per_visit;
		uint32_t given, known, waiting, want;
	} rows[] = {
		{"given", 0, 100, 10, 5, 100},
		{"given, whatever visits yield", 50, 100, 10, 5, 100},
		{"given too low", 1, 5, 10, 5, 10},
		{"nothing found", 0, 0, 10, 5, 10},
		{"nothing known", 0, 0, 0, 0, 0},
		{"half of the yield is new", 1, 0, 100, 60, 130},
		{"not more than four times", 100, 0, 10, 9, 40},
		{"not more than there can be", 100, 0, 2000000000, 1000000000, UINT32_MAX},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct size_guess g = {.given = rows[i].given, .per_visit = rows[i].per_visit};

		tap_case("guess: %s", rows[i].label);
		CHECK_INT(size_guess(&g, rows[i].known, rows[i].waiting), rows[i].want);
	}
}

/* The average forgets: what visits yielded long ago hardly counts. */
static void test_average(void)
{
	struct size_guess g = {0};
	double before;

	for (int i = 0; i < 400; i++)
		size_guess_visit(&g, 10);
	CHECK_NEAR(g.per_visit, 10, 1e-3);
	before = g.per_visit;
	size_guess_visit(&g, 0);
	CHECK(g.per_visit < before && g.per_visit > 0.9 * before);
	for (int i = 0; i < 400; i++)
		size_guess_visit(&g, 0);
	CHECK_NEAR(g.per_visit, 0, 1e-3);
}

/* What is left of 600 unknown pages. */
static double unknown_after(uint32_t quiet, uint32_t waiting, struct size_guess growth)
{
	struct plan_site site = {.known = 400, .quiet = quiet, .growth = growth};

	site.growth.given = 1000;
	return size_unknown(&site, waiting);
}

static void test_unknown(void)
{
	struct size_guess few = {.finders = 1, .found = 284}, many = {.finders = 99, .found = 284};
	double last = 600;

	CHECK_NEAR(unknown_after(0, 1000, few), 600, 1e-9);
	/* 150 pages behind each of 4 hubs; a quarter was visited: missed with e^-1. */
	CHECK_NEAR(unknown_after(250, 749, few), 600 * 10 / (9 + exp(1)), 1e-9);
	/* Many small hubs would not have been missed, and not among few pages. */
	CHECK(unknown_after(250, 749, many) < 1e-9);
	CHECK(unknown_after(250, 749, few) > unknown_after(250, 500, few));
	for (uint32_t quiet = 1; quiet < 1000; quiet++) {
		double now = unknown_after(quiet, 100, few);

		CHECK(now >= 0 && now < last);
		last = now;
	}
	CHECK(last < 150);
	/* More pages than were given: as if nothing had been. */
	CHECK_NEAR(size_unknown(&(struct plan_site){.growth = {.given = 50, .per_visit = 1},
					.known = 100},
			   60),
		30, 1e-9);
	CHECK_NEAR(size_unknown(&(struct plan_site){.growth.given = 400, .known = 400}, 10), 0, 0);
}

/* When a page's links are told: at once, before its plan_done, or after it. */
enum told { AT_ONCE, BEFORE, AFTER };

enum { ROUNDS = 50, OUT = 8 };

/* Pages have three links or four. */
static void tell(struct plan_run *run, uint32_t page, uint32_t *known)
{
	for (uint32_t i = 0; i < 3 + page % 2; i++)
		CHECK_INT(plan_discovered(run, (*known)++, survival_poisson(1), 1), 0);
}

static void finish(
	struct plan_run *run, const struct plan_order *o, enum told told, uint32_t *known)
{
	if (told == BEFORE)
		tell(run, o->page, known);
	plan_done(run, o, PLAN_OK, 0, 1);
	if (told == AFTER)
		tell(run, o->page, known);
}

/* How far it is after rounds of visits in which so many are out at once. */
static struct plan_progress rounds(
	const char *strategy, uint32_t given, size_t parallel, enum told told)
{
	struct plan_params params = {
		.strategy = plan_strategy_find(strategy, false), .delay = 1, .size = given};
	struct err err = {0};
	struct plan_run *run = plan_run_new(&params, &err);
	struct plan_order out[OUT], last;
	struct plan_progress p;
	uint32_t known = 0;

	while (known < OUT)
		CHECK_INT(plan_discovered(run, known++, survival_poisson(1), 1), 0);
	for (size_t visit = 0; visit < (size_t)ROUNDS * OUT; visit += parallel) {
		for (size_t i = 0; i < parallel; i++) {
			CHECK_INT(plan_next(run, 1, &out[i]), PLAN_ORDER);
			if (told == AT_ONCE)
				tell(run, out[i].page, &known);
		}
		for (size_t i = 0; i < parallel; i++)
			finish(run, &out[i], told, &known);
	}
	CHECK_INT(plan_next(run, 1, &last), PLAN_ORDER);
	p = plan_progress(run);
	CHECK_INT(p.known, known);
	plan_run_free(run);
	return p;
}

static void test_run(void)
{
	/* Of 3.5 pages a visit 2.5 wait: each is expected to yield half of 3.5. */
	static const double want = 1 + 2.5 / 3.5 * 3.5 / 2;
	static const struct {
		const char *label;
		size_t parallel;
		enum told told;
	} rows[] = {
		{"one, before", 1, BEFORE},
		{"one, after", 1, AFTER},
		{"eight, before", 8, BEFORE},
		{"eight, after", 8, AFTER},
		{"eight, at once", 8, AT_ONCE},
	};

	struct plan_progress p;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("run: links told with %s", rows[i].label);
		p = rounds("bfs", 0, rows[i].parallel, rows[i].told);
		CHECK_NEAR(p.size / (double)p.known, want, 0.05);
	}
	tap_case("run: a given size");
	p = rounds("stillpoint-online", 10000, 1, BEFORE);
	CHECK_NEAR(p.size, 10000, 0);
	tap_case("run: a given size that is too low");
	p = rounds("stillpoint-online", 17, 1, BEFORE);
	CHECK_NEAR(p.size, (double)p.known, 0);
	tap_case("run: offline, where all is known");
	p = rounds("stillpoint-offline", 10000, 1, BEFORE);
	CHECK(p.size < 10000);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_guesses();
	TAP_RUN(test_average);
	TAP_RUN(test_unknown);
	test_run();
	return tap_done();
}
