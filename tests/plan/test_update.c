/* Rates and weights learned late: the rest of the capture is as if they had been known. */
#include <math.h>

#include "plan/plan.h"
#include "tap.h"

enum { PAGES = 60 };

/* Pages that are found with the first, and all different. */
static struct survival truth(uint32_t page)
{
	return survival_poisson(1e-4 * (double)((page * 37) % 61 + 1));
}

static float weight(uint32_t page, bool mixed)
{
	return mixed ? (float)(1 + page % 4) : 1;
}

/* Visits page 0, which leads to all others, of which the rates are told now or later. */
static struct plan_run *begin(const struct plan_strategy *strategy, bool mixed, bool later)
{
	struct plan_params params = {.strategy = strategy, .delay = 2};
	struct survival guess = survival_poisson(0.01);
	struct plan_order order;
	struct plan_run *run = plan_run_new(&params, NULL);

	if (!run)
		return NULL;
	CHECK_INT(plan_discovered(run, 0, truth(0), 1), 0);
	CHECK_INT(plan_next(run, 0, &order), PLAN_ORDER);
	for (uint32_t i = 1; i < PAGES; i++)
		CHECK_INT(plan_discovered(
				  run, i, later ? guess : truth(i), later ? 1 : weight(i, mixed)),
			0);
	plan_done(run, &order, PLAN_OK, 0, 0);
	for (uint32_t i = 1; later && i < PAGES; i++)
		CHECK_INT(plan_update(run, i, truth(i), weight(i, mixed)), 0);
	return run;
}

static void compare(struct plan_run *a, struct plan_run *b)
{
	struct plan_order x, y;
	double now = 2;

	for (;; now += 2) {
		enum plan_step step = plan_next(a, now, &x);

		if (!CHECK_INT(plan_next(b, now, &y), step) || step != PLAN_ORDER)
			return;
		if (!CHECK_INT(y.page, x.page) || !CHECK_INT(y.leg, x.leg))
			return;
		plan_done(a, &x, PLAN_OK, now, now);
		plan_done(b, &y, PLAN_OK, now, now);
	}
}

static void test_strategies(void)
{
	const struct plan_strategy *s;

	for (size_t i = 0; (s = plan_strategy_at(i)); i++)
		for (int mixed = 0; mixed < 2 && !s->offline; mixed++) {
			struct plan_run *known = begin(s, mixed, false);
			struct plan_run *told = begin(s, mixed, true);

			tap_case("%s%s", s->name, mixed ? ", weights" : "");
			if (CHECK(known && told))
				compare(known, told);
			plan_run_free(known);
			plan_run_free(told);
		}
}

/* Visits are planned already, revisits are not: the hottest is revisited first. */
static void test_offline(void)
{
	struct plan_params params = {
		.strategy = plan_strategy_find("hottest-middle-online", false), .delay = 1};
	struct plan_run *run = plan_run_new(&params, NULL);
	struct plan_order order = {0};

	tap_case("revisits use the new rate");
	for (uint32_t i = 0; i < 3; i++)
		CHECK_INT(plan_discovered(run, i, survival_poisson(0.1 * (i + 1)), 1), 0);
	for (uint32_t i = 0; i < 3; i++) {
		CHECK_INT(plan_next(run, i, &order), PLAN_ORDER);
		CHECK_INT(order.page, i);
		plan_done(run, &order, PLAN_OK, i, i);
	}
	CHECK_INT(plan_update(run, 0, survival_poisson(1), 1), 0);
	CHECK_INT(plan_next(run, 4, &order), PLAN_ORDER);
	CHECK_INT(order.page, 0);
	plan_run_free(run);
}

static void test_bad(void)
{
	struct plan_params params = {.strategy = plan_strategy_find("stillpoint", false)};
	struct plan_run *run = plan_run_new(&params, NULL);

	tap_case("pages and values that cannot be");
	CHECK_INT(plan_discovered(run, 1, survival_poisson(1), 1), 0);
	CHECK_INT(plan_update(run, 0, survival_poisson(1), 1), ERR_NOTFOUND);
	CHECK_INT(plan_update(run, 2, survival_poisson(1), 1), ERR_NOTFOUND);
	CHECK_INT(plan_update(run, 1, survival_poisson(NAN), 1), ERR_RANGE);
	CHECK_INT(plan_update(run, 1, survival_poisson(1), -1), ERR_RANGE);
	CHECK_INT(plan_withdraw(run, 0), ERR_NOTFOUND);
	CHECK_INT(plan_withdraw(run, UINT32_MAX), ERR_NOTFOUND);
	plan_run_free(run);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_strategies();
	test_offline();
	test_bad();
	return tap_done();
}
