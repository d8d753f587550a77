/* Captures through the public functions give what the rooms give. */
#include <math.h>
#include <stillpoint/measure.h>
#include <stillpoint/plan.h>
#include <stillpoint/rate.h>
#include <stillpoint/survival.h>

#include "plan/expect.h"
#include "tap.h"

enum { PAGES = 40 };

static double rate_of(uint32_t page)
{
	return 0.001 * (double)((page * 17) % PAGES + 1);
}

static double weight_of(uint32_t page)
{
	return page % 5 == 0 ? 3 : 1;
}

static struct sp_page page_of(uint32_t page)
{
	struct sp_page info = SP_PAGE(rate_of(page));

	info.weight = weight_of(page);
	return info;
}

/* The schedule of one call is that of `stillpoint plan`, which plan/expect_drive computes. */
static void check_schedule(const struct plan_strategy *strategy, bool single)
{
	double rates[PAGES], weights[PAGES];
	struct survival survival[PAGES];
	float site_weights[PAGES];
	size_t links[PAGES + 1] = {0};
	int64_t visits[PAGES], revisits[PAGES];
	uint8_t hopeless[PAGES];
	struct site sim = {
		.n = PAGES, .survival = survival, .weights = site_weights, .link_from = links};
	struct drive_params params = {
		.site = &sim, .plan = {.strategy = strategy, .delay = 2, .single = single}};
	struct sp_plan_params sp = {.size = sizeof sp,
		.strategy = strategy->name,
		.delay = 2,
		.flags = single ? SP_PLAN_SINGLE : 0};
	struct sp_site site = {sizeof site, PAGES, rates, NULL, weights};
	struct sp_schedule schedule = {.size = sizeof schedule,
		.visits = visits,
		.revisits = revisits,
		.hopeless = hopeless};
	struct drive_result want;
	struct err err = {0};

	for (uint32_t i = 0; i < PAGES; i++) {
		rates[i] = rate_of(i);
		weights[i] = weight_of(i);
		survival[i] = survival_poisson(rates[i]);
		site_weights[i] = (float)weights[i];
	}
	if (!CHECK_INT(drive(&params, &want, &err), 0))
		return;
	CHECK_INT(sp_plan_schedule(&sp, &site, &schedule), SP_OK);
	for (uint32_t i = 0; i < PAGES; i++) {
		CHECK_INT(visits[i], drive_visit_slot(&want, i));
		CHECK_INT(revisits[i], want.single ? SP_NO_REVISIT : drive_revisit_slot(&want, i));
		CHECK_INT(hopeless[i], want.hopeless[i]);
	}
	CHECK(isnan(schedule.coherence) == want.single);
	if (!want.single) {
		CHECK_NEAR(schedule.coherence, evaluate(&sim, &want, NULL).coherence, 1e-9);
		CHECK(schedule.upper_bound >= schedule.coherence);
	}
	drive_release(&want);
}

static void test_schedule(void)
{
	for (size_t i = 0; i < sp_strategy_count(); i++)
		for (int single = 0; single < 2; single++) {
			tap_case("schedule: %s%s", sp_strategy_name(i), single ? ", single" : "");
			check_schedule(plan_strategy_at(i), single);
		}
}

static void test_schedule_parts(void)
{
	const double rates[] = {0.1, 0.2};
	struct sp_site site = {sizeof site, 0, NULL, NULL, NULL};
	struct sp_schedule schedule = {.size = sizeof schedule, .coherence = 7};

	tap_case("schedule: no page");
	CHECK_INT(sp_plan_schedule(NULL, &site, &schedule), SP_OK);
	CHECK(schedule.coherence == 0 && schedule.upper_bound == 0);

	/* One page on both slots 0, the other visited before and revisited after: e^(-0.1 * 2). */
	tap_case("schedule: defaults, results without arrays");
	site.pages = 2;
	site.rates = rates;
	CHECK_INT(sp_plan_schedule(NULL, &site, &schedule), SP_OK);
	CHECK_NEAR(schedule.coherence, 1 + exp(-0.2), 1e-12);
	CHECK_NEAR(schedule.upper_bound, schedule.coherence, 1e-12);

	tap_case("schedule: more pages than allowed");
	site.pages = (size_t)SP_MAX_PAGES + 1;
	CHECK_INT(sp_plan_schedule(NULL, &site, &schedule), SP_ERROR_PAGE);
}

/* Finds page and the next one as its link, as long as there is one. */
static void report(struct sp_plan *plan, const struct sp_order *order, double now)
{
	struct sp_page link = page_of(order->page + 1);

	if (order->page + 1 < PAGES)
		CHECK_INT(sp_plan_found(plan, order->page + 1, &link), SP_OK);
	CHECK_INT(sp_plan_done(plan, order, SP_DONE, now, now), SP_OK);
}

static void test_capture(void)
{
	struct sp_plan_params params = {.size = sizeof params, .strategy = "bfs-lifo"};
	struct sp_progress progress = {.size = sizeof progress};
	struct sp_order order = {.size = sizeof order};
	struct sp_page first = page_of(0);
	struct sp_plan *plan = NULL;
	double now = 0, expected = -1;
	int step = -1;

	tap_case("a capture");
	CHECK_INT(sp_plan_new(&params, &plan), SP_OK);
	CHECK_INT(sp_plan_found(plan, 0, &first), SP_OK);
	for (; sp_plan_next(plan, now, &step, &order) == SP_OK && step == SP_ORDER; now++) {
		report(plan, &order, now);
		if (now == 0) { /* one page, of weight 3, and two units of time since its visit */
			CHECK_INT(sp_plan_expected(plan, 2, &expected), SP_OK);
			CHECK_NEAR(expected, 3 * exp(-rate_of(0) * 4), 1e-12);
		}
	}
	CHECK_INT(step, SP_END);
	CHECK_INT(sp_plan_progress(plan, &progress), SP_OK);
	CHECK_INT(progress.visited, PAGES);
	CHECK_INT(progress.revisited, PAGES);
	CHECK_INT(progress.out, 0);
	CHECK_INT(progress.error, SP_OK);
	sp_plan_free(plan);
}

static void test_end(void)
{
	struct sp_order order = {.size = sizeof order};
	struct sp_page info = SP_PAGE(0.5);
	struct sp_plan *plan = NULL;
	int step = -1;

	tap_case("the visits end, then all of it");
	CHECK_INT(sp_plan_new(NULL, &plan), SP_OK);
	for (uint32_t i = 0; i < 3; i++)
		CHECK_INT(sp_plan_found(plan, i, &info), SP_OK);
	CHECK_INT(sp_plan_next(plan, 0, &step, &order), SP_OK);
	CHECK_INT(sp_plan_end_visits(plan), SP_OK);
	CHECK_INT(sp_plan_done(plan, &order, SP_DONE, 0, 1), SP_OK);
	CHECK_INT(sp_plan_next(plan, 1, &step, &order), SP_OK);
	CHECK_INT(order.leg, SP_REVISIT);
	CHECK_INT(sp_plan_cancel(plan), SP_OK);
	CHECK_INT(sp_plan_next(plan, 1, &step, &order), SP_OK);
	CHECK_INT(step, SP_WAIT);
	CHECK_INT(sp_plan_done(plan, &order, SP_RETURNED, 1, 1), SP_OK);
	CHECK_INT(sp_plan_next(plan, 1, &step, &order), SP_OK);
	CHECK_INT(step, SP_END);
	sp_plan_free(plan);
}

/* The page that is visited last of four that change alike; three of them may be a group. */
static uint32_t innermost(bool grouped)
{
	static const uint32_t REQUISITES[] = {1, 2};
	struct sp_plan_params params = {
		.size = sizeof params, .delay = 1, .flags = SP_PLAN_ALL_KNOWN};
	struct sp_order order = {.size = sizeof order};
	struct sp_plan *plan = NULL;
	int step = -1;

	CHECK_INT(sp_plan_new(&params, &plan), SP_OK);
	for (uint32_t i = 0; i < 4; i++) {
		struct sp_page info = SP_PAGE(0.5);

		info.weight = i == 3 ? 0.5 : 1;
		CHECK_INT(sp_plan_found(plan, i, &info), SP_OK);
	}
	if (grouped)
		CHECK_INT(sp_plan_group(plan, 0, REQUISITES, 2), SP_OK);
	for (int i = 0; i < 4; i++) {
		CHECK_INT(sp_plan_next(plan, i, &step, &order), SP_OK);
		CHECK_INT(sp_plan_done(plan, &order, SP_DONE, i, i), SP_OK);
	}
	sp_plan_free(plan);
	return order.page;
}

/*
 * Lengths 0, 2, 4, 6. Alone, a page of half the weight is worth less than the others. But the three
 * together are worth e^(-0.5 (0 + 2 + 4)) = 0.05 at best, so it gets the best place.
 */
static void test_groups(void)
{
	tap_case("groups");
	CHECK(innermost(false) != 3);
	CHECK_INT(innermost(true), 3);
}

static void test_budget(void)
{
	struct sp_plan_params params = {.size = sizeof params, .delay = 1, .aim = SP_SHARP};
	struct sp_order order = {.size = sizeof order};
	struct sp_page info = SP_PAGE(0.001);
	struct sp_plan *plan = NULL;
	unsigned downloads[2] = {0, 0};
	int step = SP_ORDER, end = 0;

	tap_case("a limit of ten downloads");
	CHECK_INT(sp_plan_new(&params, &plan), SP_OK);
	for (uint32_t i = 0; i < 20; i++)
		CHECK_INT(sp_plan_found(plan, i, &info), SP_OK);
	for (int i = 0; i < 10; i++) {
		CHECK_INT(sp_plan_budget(plan, i, 10 - i, &end), SP_OK);
		if (end)
			CHECK_INT(sp_plan_end_visits(plan), SP_OK);
		CHECK_INT(sp_plan_next(plan, i, &step, &order), SP_OK);
		if (!CHECK_INT(step, SP_ORDER) || !CHECK(order.leg <= SP_REVISIT))
			break;
		downloads[order.leg]++;
		CHECK_INT(sp_plan_done(plan, &order, SP_DONE, i, i), SP_OK);
	}
	CHECK_INT(downloads[SP_VISIT], 5);
	CHECK_INT(downloads[SP_REVISIT], 5);
	sp_plan_free(plan);
	params.aim = SP_COMPLETE + 1;
	CHECK_INT(sp_plan_new(&params, &plan), SP_ERROR_ARGUMENT);
}

static void test_changes(void)
{
	struct sp_plan_params params = {.size = sizeof params, .strategy = "hottest-first"};
	struct sp_order order = {.size = sizeof order};
	struct sp_page info = SP_PAGE(0.5), hot = SP_PAGE(5);
	struct sp_plan *plan = NULL;
	int step = -1;

	tap_case("a rate learned later, a page no longer wanted");
	CHECK_INT(sp_plan_new(&params, &plan), SP_OK);
	for (uint32_t i = 0; i < 4; i++)
		CHECK_INT(sp_plan_found(plan, i, &info), SP_OK);
	CHECK_INT(sp_plan_next(plan, 0, &step, &order), SP_OK);
	CHECK_INT(order.page, 0);
	CHECK_INT(sp_plan_update(plan, 3, &hot), SP_OK);
	CHECK_INT(sp_plan_withdraw(plan, 1), SP_OK);
	CHECK_INT(sp_plan_next(plan, 1, &step, &order), SP_OK);
	CHECK_INT(order.page, 3);
	CHECK_INT(sp_plan_next(plan, 2, &step, &order), SP_OK);
	CHECK_INT(order.page, 2);
	CHECK_INT(sp_plan_next(plan, 3, &step, &order), SP_OK);
	CHECK_INT(step, SP_WAIT);
	sp_plan_free(plan);
}

/* Values by hand; the rooms' own tests have the papers' examples. */
static void test_values(void)
{
	const double rates[] = {1, 2}, visits[] = {0, 1}, revisits[] = {3, 2}, weights[] = {2, 1};
	const double changes[] = {1, 4};
	const uint64_t counts[] = {0, 0};
	double x, y;
	int yes;

	tap_case("values");
	CHECK_INT(sp_survival_at(0.5, 0, 2, &x), SP_OK);
	CHECK_NEAR(x, exp(-1), 1e-12);
	CHECK_INT(sp_survival_confidence(0.5, 0, exp(-1), &x), SP_OK);
	CHECK_NEAR(x, 2, 1e-12);
	CHECK_INT(sp_coherence_expected(2, rates, revisits, weights, &x), SP_OK);
	CHECK_NEAR(x, 2 * exp(-3) + exp(-4), 1e-12);
	CHECK_INT(sp_coherence_actual(2, changes, 2, 3, &yes), SP_OK);
	CHECK_INT(yes, 1);
	CHECK_INT(sp_coherence_actual(2, changes, 2, 4, &yes), SP_OK);
	CHECK_INT(yes, 0);
	CHECK_INT(sp_blur_expected(1, rates, visits, NULL, 0, 2, &x), SP_OK);
	CHECK_NEAR(x, 1, 1e-12); /* the mean distance from 0 on [0, 2] */
	CHECK_INT(sp_blur_expected(1, rates, visits, revisits, 0, 3, &x), SP_OK);
	CHECK_NEAR(x, 0.75, 1e-12);
	CHECK_INT(sp_blur_actual(2, changes, 0, 0, 0, 2, &x), SP_OK);
	CHECK_NEAR(x, 0.5, 1e-12); /* one change, for half of the queries */
	CHECK_INT(sp_rate_fit(2, counts, weights, &x, &y), SP_OK);
	CHECK_NEAR(x / y, 0.5 / 3, 1e-12);
	CHECK_INT(sp_rate_posterior(1, 2, 3, 6, &x, &y), SP_OK);
	CHECK_NEAR(x, 0.5, 1e-12);
	CHECK_NEAR(y, 4, 1e-12);
	CHECK_INT(sp_rate_of_changefreq("Daily", &x), SP_OK);
	CHECK_NEAR(x, 1.0 / 86400, 1e-12);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_schedule();
	test_schedule_parts();
	test_capture();
	test_end();
	test_groups();
	test_budget();
	test_changes();
	test_values();
	return tap_done();
}
