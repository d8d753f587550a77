#include "plan/expect.h"

#include <math.h>

#include "plan/fixture.h"

static void test_row(void)
{
	const struct plan_strategy *strategies[] = {
		plan_strategy_find("bfs-lifo", true),
		plan_strategy_find("bfs", true),
		plan_strategy_find("stillpoint", true),
	};
	struct site s = fixture_site("page,rate\na,0.1\nb,0.2\n");
	struct exposure_params params = {
		.site = &s, .strategies = strategies, .strategy_count = ARRAY_LEN(strategies)};
	struct err err = {0};
	double sharp[ARRAY_LEN(strategies)] = {0}, bound = 0;

	/* Intervals 0 and 2·3: page b is visited last. */
	CHECK_INT(exposure_row(&params, 3, sharp, &bound, &err), 0);
	CHECK_NEAR(sharp[0], 1 + exp(-0.6), 1e-14);
	CHECK(isnan(sharp[1]));
	CHECK_NEAR(sharp[2], 1 + exp(-0.6), 1e-14);
	CHECK_NEAR(bound, 1 + exp(-0.6), 1e-12);
	site_release(&s);
}

/* 2n - 1 downloads. */
static void test_duration(void)
{
	CHECK_NEAR(exposure_duration(0, 2), 0, 0);
	CHECK_NEAR(exposure_duration(1, 2), 2, 0);
	CHECK_NEAR(exposure_duration(300, 0.5), 299.5, 0);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_row);
	TAP_RUN(test_duration);
	return tap_done();
}
