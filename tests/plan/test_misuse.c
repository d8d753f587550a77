/* What callers may get wrong: each call gives its error and leaves results and plan as they were.
 */
#include <math.h>
#include <stillpoint/measure.h>
#include <stillpoint/plan.h>
#include <stillpoint/rate.h>
#include <stillpoint/survival.h>
#include <string.h>

#include "tap.h"

static struct sp_plan *new_plan(void)
{
	struct sp_plan *plan = NULL;

	CHECK_INT(sp_plan_new(NULL, &plan), SP_OK);
	return plan;
}

static void test_params(void)
{
	const size_t size = sizeof(struct sp_plan_params);
	const struct {
		const char *label;
		struct sp_plan_params params;
		int want;
	} rows[] = {
		{"defaults", {.size = size}, SP_OK},
		{"a later version's struct", {.size = size + 8}, SP_OK},
		{"no size", {.strategy = "bfs"}, SP_ERROR_SIZE},
		{"size too small", {.size = size - 1}, SP_ERROR_SIZE},
		{"unknown strategy", {.size = size, .strategy = "best"}, SP_ERROR_STRATEGY},
		{"empty strategy", {.size = size, .strategy = ""}, SP_ERROR_STRATEGY},
		{"negative delay", {.size = size, .delay = -1}, SP_ERROR_ARGUMENT},
		{"NaN delay", {.size = size, .delay = NAN}, SP_ERROR_ARGUMENT},
		{"infinite delay", {.size = size, .delay = INFINITY}, SP_ERROR_ARGUMENT},
		{"huge delay", {.size = size, .delay = 1e300}, SP_ERROR_ARGUMENT},
		{"tau above 1", {.size = size, .tau = 1.5}, SP_ERROR_ARGUMENT},
		{"NaN tau", {.size = size, .tau = NAN}, SP_ERROR_ARGUMENT},
		{"256 attempts", {.size = size, .attempts = 256}, SP_ERROR_ARGUMENT},
		{"unknown flag", {.size = size, .flags = 1U << 31}, SP_ERROR_ARGUMENT},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct sp_plan *plan = NULL;

		tap_case("params: %s", rows[i].label);
		CHECK_INT(sp_plan_new(&rows[i].params, &plan), rows[i].want);
		CHECK((plan != NULL) == (rows[i].want == SP_OK));
		sp_plan_free(plan);
	}
}

static void test_found(void)
{
	const size_t size = sizeof(struct sp_page);
	const struct {
		const char *label;
		uint32_t page;
		struct sp_page info;
		int want;
	} rows[] = {
		{"good", 0, SP_PAGE(1), SP_OK},
		{"the largest page number", 99, SP_PAGE(1), SP_OK},
		{"page number too large", 100, SP_PAGE(1), SP_ERROR_PAGE},
		{"page number far too large", UINT32_MAX, SP_PAGE(1), SP_ERROR_PAGE},
		{"no size", 0, {.rate = 1, .weight = 1}, SP_ERROR_SIZE},
		{"negative rate", 0, SP_PAGE(-1), SP_ERROR_ARGUMENT},
		{"NaN rate", 0, SP_PAGE(NAN), SP_ERROR_ARGUMENT},
		{"infinite rate", 0, SP_PAGE(INFINITY), SP_ERROR_ARGUMENT},
		{"NaN shape", 0, {size, 1, NAN, 1}, SP_ERROR_ARGUMENT},
		{"negative weight", 0, {size, 1, 0, -1}, SP_ERROR_ARGUMENT},
		{"NaN weight", 0, {size, 1, 0, NAN}, SP_ERROR_ARGUMENT},
		{"weight above that of a float", 0, {size, 1, 0, 1e60}, SP_ERROR_ARGUMENT},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct sp_plan_params params = {.size = sizeof params, .max_pages = 100};
		struct sp_progress progress = {.size = sizeof progress};
		struct sp_plan *plan = NULL;

		tap_case("found: %s", rows[i].label);
		CHECK_INT(sp_plan_new(&params, &plan), SP_OK);
		CHECK_INT(sp_plan_found(plan, rows[i].page, &rows[i].info), rows[i].want);
		CHECK_INT(sp_plan_progress(plan, &progress), SP_OK);
		CHECK_INT(progress.known, rows[i].want == SP_OK);
		sp_plan_free(plan);
	}
}

static void test_null(void)
{
	struct sp_page info = SP_PAGE(1);
	struct sp_order order = {.size = sizeof order};
	struct sp_progress progress = {.size = sizeof progress};
	struct sp_schedule schedule = {.size = sizeof schedule};
	struct sp_site site = {.size = sizeof site, .pages = 1};
	struct sp_plan *plan = new_plan();
	uint32_t one = 1;
	int step, end;
	double x;

	tap_case("NULL");
	sp_plan_free(NULL);
	CHECK_INT(sp_plan_new(NULL, NULL), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_found(NULL, 0, &info), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_found(plan, 0, NULL), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_update(NULL, 0, &info), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_update(plan, 0, NULL), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_update(plan, 0, &info), SP_ERROR_PAGE);
	CHECK_INT(sp_plan_group(NULL, 0, &one, 1), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_group(plan, 0, NULL, 1), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_group(plan, UINT32_MAX, &one, 1), SP_ERROR_PAGE);
	one = UINT32_MAX;
	CHECK_INT(sp_plan_group(plan, 0, &one, 1), SP_ERROR_PAGE);
	CHECK_INT(sp_plan_group(plan, 0, NULL, 0), SP_OK);
	CHECK_INT(sp_plan_budget(NULL, 0, 1, &end), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_budget(plan, 0, -1, &end), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_budget(plan, 0, NAN, &end), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_budget(plan, 0, 1, NULL), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_withdraw(NULL, 0), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_withdraw(plan, UINT32_MAX), SP_ERROR_PAGE);
	CHECK_INT(sp_plan_next(NULL, 0, &step, &order), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_next(plan, 0, NULL, &order), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_next(plan, 0, &step, NULL), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_done(NULL, &order, SP_DONE, 0, 0), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_done(plan, NULL, SP_DONE, 0, 0), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_end_visits(NULL), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_cancel(NULL), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_progress(NULL, &progress), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_progress(plan, NULL), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_expected(NULL, 0, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_expected(plan, 0, NULL), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_expected(plan, NAN, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_schedule(NULL, NULL, &schedule), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_schedule(NULL, &site, NULL), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_schedule(NULL, &site, &schedule), SP_ERROR_ARGUMENT);
	CHECK(sp_strategy_name(sp_strategy_count()) == NULL);
	CHECK(sp_strategy_summary(SIZE_MAX) == NULL);
	sp_plan_free(plan);
}

/* Orders that are not out, and times that cannot be. */
static void test_orders(void)
{
	struct sp_page info = SP_PAGE(1);
	struct sp_order order = {.size = sizeof order}, other;
	struct sp_plan *plan = new_plan();
	int step = -1;

	tap_case("orders that are not out");
	CHECK_INT(sp_plan_found(plan, 0, &info), SP_OK);
	CHECK_INT(sp_plan_found(plan, 1, &info), SP_OK);
	order.attempt = 1;
	CHECK_INT(sp_plan_done(plan, &order, SP_DONE, 0, 0), SP_ERROR_STATE);
	CHECK_INT(sp_plan_next(plan, 5, &step, &order), SP_OK);
	CHECK_INT(step, SP_ORDER);
	other = order;
	other.page = UINT32_MAX;
	CHECK_INT(sp_plan_done(plan, &other, SP_DONE, 5, 5), SP_ERROR_STATE);
	other.page = 1 - order.page;
	CHECK_INT(sp_plan_done(plan, &other, SP_DONE, 5, 5), SP_ERROR_STATE);
	other = order;
	other.leg = SP_REVISIT;
	CHECK_INT(sp_plan_done(plan, &other, SP_DONE, 5, 5), SP_ERROR_STATE);
	other.leg = 77;
	CHECK_INT(sp_plan_done(plan, &other, SP_DONE, 5, 5), SP_ERROR_ARGUMENT);
	other = order;
	other.attempt = 2;
	CHECK_INT(sp_plan_done(plan, &other, SP_DONE, 5, 5), SP_ERROR_STATE);
	other = order;
	other.size = 0;
	CHECK_INT(sp_plan_done(plan, &other, SP_DONE, 5, 5), SP_ERROR_SIZE);

	tap_case("bad outcomes and times");
	CHECK_INT(sp_plan_done(plan, &order, -1, 5, 5), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_done(plan, &order, SP_PUT_OFF + 1, 5, 5), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_done(plan, &order, SP_DONE, NAN, 5), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_done(plan, &order, SP_DONE, 5, INFINITY), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_done(plan, &order, SP_DONE, 6, 5), SP_ERROR_TIME);
	CHECK_INT(sp_plan_done(plan, &order, SP_DONE, 5, 6), SP_OK);
	CHECK_INT(sp_plan_done(plan, &order, SP_DONE, 5, 6), SP_ERROR_STATE);
	CHECK_INT(sp_plan_next(plan, NAN, &step, &order), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_plan_next(plan, 4, &step, &order), SP_ERROR_TIME);
	other.size = sizeof other - 1;
	CHECK_INT(sp_plan_next(plan, 6, &step, &other), SP_ERROR_SIZE);
	CHECK_INT(sp_plan_next(plan, 6, &step, &order), SP_OK);
	sp_plan_free(plan);
}

static void test_numbers(void)
{
	const double one[] = {1, 2}, nan[] = {NAN, 1}, falling[] = {2, 1}, negative[] = {1, -1};
	const uint64_t counts[] = {0, 3};
	double x = 7, y = 7;
	int yes = 7;

	tap_case("measures and rates");
	CHECK_INT(sp_blur_expected(2, NULL, one, NULL, 0, 1, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_blur_expected(2, one, nan, NULL, 0, 1, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_blur_expected(2, negative, one, NULL, 0, 1, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_blur_expected(2, one, one, falling, 0, 1, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_blur_expected(2, one, one, NULL, 1, 0, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_blur_expected(2, one, one, NULL, 0, 1, NULL), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_blur_actual(2, falling, 0, 1, 0, 1, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_blur_actual(2, one, 1, 0, 0, 1, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_coherence_expected(2, one, negative, NULL, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_coherence_expected(2, one, one, nan, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_coherence_actual(1, NULL, 0, 1, &yes), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_coherence_actual(0, NULL, 1, 0, &yes), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_survival_at(1, 0, -1, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_survival_at(1, NAN, 1, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_survival_confidence(1, 0, 0, &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_rate_fit(2, NULL, one, &x, &y), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_rate_fit(2, counts, negative, &x, &y), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_rate_posterior(0, 1, 1, 1, &x, &y), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_rate_posterior(1, 1, 1, NAN, &x, &y), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_rate_of_changefreq("sometimes", &x), SP_ERROR_ARGUMENT);
	CHECK_INT(sp_rate_of_changefreq(NULL, &x), SP_ERROR_ARGUMENT);
	CHECK(x == 7 && y == 7 && yes == 7);
}

/* Numbers at the limits must not upset any strategy. */
static void test_extremes(void)
{
	const double rates[] = {0, 1e100, 1e-300, 1, 0}, shapes[] = {0, 1e-300, 1e100, 0, 3};
	const double weights[] = {0, 1e38, 1e-45, 1, 0}, delays[] = {1e-300, 1, 1e100};

	for (size_t s = 0; s < sp_strategy_count(); s++)
		for (size_t i = 0; i < ARRAY_LEN(delays); i++) {
			struct sp_plan_params params = {.size = sizeof params,
				.strategy = sp_strategy_name(s),
				.delay = delays[i]};
			struct sp_site site = {sizeof site, 5, rates, shapes, weights};
			struct sp_schedule schedule = {.size = sizeof schedule};

			tap_case("extremes: %s, delay %g", sp_strategy_name(s), delays[i]);
			CHECK_INT(sp_plan_schedule(&params, &site, &schedule), SP_OK);
		}
}

static void test_texts(void)
{
	tap_case("every code has a text of its own");
	for (int code = SP_OK; code >= SP_ERROR_TIME; code--)
		CHECK(strcmp(sp_error_text(code), sp_error_text(1)) != 0);
	CHECK_STR(sp_error_text(-1000), "unknown error");
	CHECK_STR(sp_version(), SP_VERSION);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_params();
	test_found();
	test_null();
	test_orders();
	test_numbers();
	test_extremes();
	test_texts();
	return tap_done();
}
