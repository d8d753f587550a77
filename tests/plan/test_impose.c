/*
 * Orders of a log that another planner made: plan_impose takes them, refuses what breaks the
 * invariants of plan.h, and plan_next goes on to a whole capture.
 */
#include "graphs.h"
#include "plan/plan.h"

enum { PAGES = 30 };

static struct plan_run *run_for(const char *strategy)
{
	struct plan_params params = {.strategy = plan_strategy_find(strategy, false), .delay = 1};

	return run_new(&params);
}

static int impose(struct plan_run *run, uint32_t page, enum plan_leg leg, unsigned attempt)
{
	return plan_impose(
		run, &(struct plan_order){.page = page, .leg = leg, .attempt = attempt}, 0);
}

static void done(struct plan_run *run, uint32_t page, enum plan_leg leg, unsigned attempt,
	enum plan_outcome outcome)
{
	plan_done(run, &(struct plan_order){.page = page, .leg = leg, .attempt = attempt}, outcome,
		0, 1);
}

static void discover(struct plan_run *run, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		CHECK_INT(plan_discovered(run, i, survival_poisson(1e-3 * (i + 1)), 1), 0);
}

static void test_refused(void)
{
	struct plan_run *run = run_for("bfs-fifo");

	CHECK_INT(impose(run, 0, PLAN_VISIT, 1), ERR_STATE); /* no such page */
	discover(run, 3);
	CHECK_INT(impose(run, 7, PLAN_VISIT, 1), ERR_STATE);
	CHECK_INT(impose(run, 0, PLAN_REVISIT, 1), ERR_STATE); /* the barrier */
	CHECK_INT(impose(run, 0, PLAN_VISIT, 0), ERR_STATE);
	CHECK_INT(impose(run, 0, PLAN_VISIT, 2), ERR_STATE); /* attempts are counted */
	CHECK_INT(impose(run, 2, PLAN_VISIT, 1), 0);
	CHECK_INT(impose(run, 2, PLAN_VISIT, 1), ERR_STATE); /* in flight */
	done(run, 2, PLAN_VISIT, 1, PLAN_OK);
	CHECK_INT(impose(run, 2, PLAN_VISIT, 2), ERR_STATE); /* visited */
	CHECK_INT(impose(run, 1, PLAN_VISIT, 1), 0);
	CHECK_INT(impose(run, 0, PLAN_VISIT, 1), 0);
	CHECK_INT(impose(run, 2, PLAN_REVISIT, 1), ERR_STATE); /* the barrier again */
	done(run, 0, PLAN_VISIT, 1, PLAN_OK);
	done(run, 1, PLAN_VISIT, 1, PLAN_FAILED);
	CHECK_INT(impose(run, 1, PLAN_REVISIT, 1), ERR_STATE); /* never seen */
	CHECK_INT(impose(run, 2, PLAN_REVISIT, 1), 0);
	CHECK_INT(impose(run, 1, PLAN_VISIT, 2), ERR_STATE); /* behind the barrier */
	plan_cancel(run);
	CHECK_INT(impose(run, 0, PLAN_REVISIT, 1), ERR_STATE);
	plan_run_free(run);
}

/* The run goes on with all that the log has not, each page once. */
static void finish(struct plan_run *run, uint32_t out, uint32_t pages)
{
	unsigned char seen[PAGES][2] = {{0}};
	struct plan_order o;
	double now = 1000;

	for (uint32_t i = 0; i < out; i++)
		seen[i][PLAN_VISIT] = 1;
	while (plan_next(run, now, &o) == PLAN_ORDER) {
		CHECK(o.page < pages && o.leg != PLAN_LATE && !seen[o.page][o.leg]++);
		CHECK_INT(o.attempt, 1);
		plan_done(run, &o, PLAN_OK, now, now + 1);
		now += 1;
	}
	for (uint32_t i = 0; i < pages; i++)
		CHECK(seen[i][PLAN_VISIT] == 1 && seen[i][PLAN_REVISIT] == 1);
	CHECK_INT(plan_progress(run).visited, pages);
	CHECK_INT(plan_progress(run).revisited, pages);
}

/* Visits in the order of the page numbers, which no order by heat would choose, and odd steps. */
static void test_goes_on(void)
{
	const struct plan_strategy *s;

	for (size_t i = 0; (s = plan_strategy_at(i)); i++) {
		struct plan_run *run;

		if (!s->revisits)
			continue;
		tap_case("goes on: %s", s->name);
		run = run_for(s->name);
		discover(run, PAGES);
		for (uint32_t page = 0; page < PAGES / 2; page++) {
			CHECK_INT(impose(run, page, PLAN_VISIT, 1), 0);
			CHECK_INT(plan_impose(run, NULL, page), 0);
			done(run, page, PLAN_VISIT, 1, page % 3 ? PLAN_OK : PLAN_RETURNED);
			if (page % 3)
				continue;
			CHECK_INT(impose(run, page, PLAN_VISIT, 1), 0);
			done(run, page, PLAN_VISIT, 1, PLAN_RETRY);
			CHECK_INT(impose(run, page, PLAN_VISIT, 2), 0);
			done(run, page, PLAN_VISIT, 2, PLAN_OK);
		}
		finish(run, PAGES / 2, PAGES);
		plan_run_free(run);
	}
}

/* Another planner was more patient, and revisited in another order. */
static void test_other_rules(void)
{
	struct plan_run *run = run_for("bfs-fifo");
	struct plan_order o;

	discover(run, 3);
	for (unsigned attempt = 1; attempt <= PLAN_ATTEMPTS; attempt++) {
		CHECK_INT(impose(run, 1, PLAN_VISIT, attempt), 0);
		done(run, 1, PLAN_VISIT, attempt, PLAN_RETRY);
	}
	CHECK_INT(plan_progress(run).failed, 1);
	CHECK_INT(impose(run, 1, PLAN_VISIT, PLAN_ATTEMPTS + 1), 0);
	CHECK_INT(plan_progress(run).failed, 0);
	done(run, 1, PLAN_VISIT, PLAN_ATTEMPTS + 1, PLAN_OK);
	for (uint32_t page = 0; page < 3; page += 2) {
		CHECK_INT(impose(run, page, PLAN_VISIT, 1), 0);
		done(run, page, PLAN_VISIT, 1, PLAN_OK);
	}
	CHECK_INT(impose(run, 2, PLAN_REVISIT, 1), 0);
	done(run, 2, PLAN_REVISIT, 1, PLAN_RETRY);
	CHECK_INT(impose(run, 0, PLAN_REVISIT, 1), 0);
	done(run, 0, PLAN_REVISIT, 1, PLAN_OK);
	CHECK_INT(plan_next(run, 9, &o), PLAN_ORDER);
	CHECK_INT(o.page, 1);
	plan_done(run, &o, PLAN_OK, 9, 10);
	CHECK_INT(plan_next(run, 10, &o), PLAN_ORDER);
	CHECK_INT(o.page, 2);
	CHECK_INT(o.attempt, 2);
	plan_done(run, &o, PLAN_OK, 10, 11);
	CHECK_INT(plan_next(run, 11, &o), PLAN_END);
	plan_run_free(run);
}

/* A page that failed for good is ordered once more, last of all, until the visits are over. */
static void test_retry(void)
{
	struct plan_run *run = run_for("bfs-fifo");
	struct plan_order order;

	discover(run, 3);
	CHECK_INT(plan_retry(run, 9), ERR_NOTFOUND);
	CHECK_INT(plan_next(run, 0, &order), PLAN_ORDER);
	CHECK_INT(plan_retry(run, 0), 0); /* under way: nothing changes */
	done(run, 0, PLAN_VISIT, 1, PLAN_FAILED);
	CHECK_INT(plan_progress(run).failed, 1);
	CHECK_INT(plan_retry(run, 0), 0);
	CHECK_INT(plan_retry(run, 0), 0); /* waits already */
	CHECK_INT(plan_progress(run).failed, 0);
	for (uint32_t i = 1; i < 3; i++) {
		CHECK_INT(plan_next(run, 0, &order), PLAN_ORDER);
		CHECK_INT(order.page, i);
		done(run, i, PLAN_VISIT, 1, i == 1 ? PLAN_OK : PLAN_FAILED);
	}
	CHECK_INT(plan_next(run, 0, &order), PLAN_ORDER);
	CHECK(order.page == 0 && order.leg == PLAN_VISIT && order.attempt == 2);
	done(run, 0, PLAN_VISIT, 2, PLAN_OK);
	CHECK_INT(plan_next(run, 0, &order), PLAN_ORDER);
	CHECK_INT(order.leg, PLAN_REVISIT);
	CHECK_INT(plan_retry(run, 2), 0); /* too late */
	CHECK_INT(plan_progress(run).failed, 1);
	plan_run_free(run);
}

enum { SERVER_PAGES = 120 };

static struct plan_run *run_of_servers(struct rng *rng)
{
	struct plan_params params = {
		.strategy = plan_strategy_find("stillpoint-online", false), .delay = 1};
	struct plan_run *run = run_new(&params);

	for (uint32_t i = 0; i < SERVER_PAGES; i++) {
		CHECK_INT(plan_place(run, i, (uint32_t)rng_below(rng, 3)), 0);
		CHECK_INT(plan_discovered(run, i, survival_poisson(0.01 * (i + 1)), 1), 0);
	}
	return run;
}

/* Orders of three servers, in any order: after the last visit nobody waits. */
static void test_servers(void)
{
	struct rng rng;

	rng_init(&rng, 1);
	for (int round = 0; round < 50; round++) {
		struct plan_run *run = run_of_servers(&rng);
		uint32_t first = (uint32_t)rng_below(&rng, SERVER_PAGES);
		double now = 0;

		for (uint32_t i = 0; i < SERVER_PAGES; i++) {
			struct plan_order visit = {
				.page = (first + 7 * i) % SERVER_PAGES, .attempt = 1};

			CHECK_INT(plan_impose(run, &visit, now), 0);
			now += 0.2 * rng_double(&rng);
			plan_done(run, &visit, PLAN_OK, now, now);
		}
		CHECK_INT(plan_impose(run, &(struct plan_order){.leg = PLAN_REVISIT, .attempt = 1},
				  now),
			0);
		plan_run_free(run);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_refused);
	test_goes_on();
	TAP_RUN(test_other_rules);
	TAP_RUN(test_retry);
	TAP_RUN(test_servers);
	return tap_done();
}
