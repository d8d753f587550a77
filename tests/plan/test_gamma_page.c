#include "plan/gamma_poisson.h"

#include <math.h>

#include "base/rng.h"
#include "tap.h"

/* After Gamma(1, 1) and a change within 10: e^-x - e^-11x, of mean 12/11 and variance 122/121. */
static void test_change(void)
{
	struct rate_gamma g = {1, 1};

	rate_gamma_observe(&g, (struct rate_interval){.length = 10, .changed = true});
	CHECK_NEAR(g.shape / g.time, 12.0 / 11, 1e-14);
	CHECK_NEAR(g.shape / g.time / g.time, 122.0 / 121, 1e-14);
}

static void test_limits(void)
{
	struct rate_gamma g = {0.3, 5};

	rate_gamma_observe(&g, (struct rate_interval){.length = 1e-12, .changed = true});
	CHECK_NEAR(g.shape, 1.3, 1e-9);
	CHECK_NEAR(g.time, 5, 1e-9);
	g = (struct rate_gamma){3, 5};
	rate_gamma_observe(&g, (struct rate_interval){.length = 1e14, .changed = true});
	CHECK_NEAR(g.shape, 3, 1e-9);
	CHECK_NEAR(g.time, 5, 1e-9);
	rate_gamma_observe(&g, (struct rate_interval){.length = 7, .changed = false});
	CHECK_NEAR(g.shape, 3, 1e-9);
	CHECK_NEAR(g.time, 12, 1e-9);
	rate_gamma_observe(&g, (struct rate_interval){.length = -7, .changed = true});
	CHECK_NEAR(g.time, 12, 1e-9);
}

static void test_exact(void)
{
	struct rate_gamma g = {1, 10};

	/* changed 4 ago: one event, 4 without one */
	rate_gamma_observe(&g, (struct rate_interval){.length = 4, .changed = true, .exact = true});
	CHECK_NEAR(g.shape, 2, 0);
	CHECK_NEAR(g.time, 14, 0);
}

static void test_survival(void)
{
	struct rate_gamma g = {2, 10};

	CHECK_NEAR(rate_gamma_survival(g, 10), 0.25, 1e-15);
	CHECK_NEAR(rate_gamma_survival(g, 0), 1, 0);
	CHECK_NEAR(rate_gamma_survival(g, NAN), 1, 0);
	CHECK_NEAR(rate_gamma_quantile((struct rate_gamma){1, 10}, 0.5), 0.0693147180559945, 1e-13);
	CHECK_INT(sizeof(struct rate_gamma), 16);
}

static void test_total(void)
{
	static const double LENGTHS[] = {
		NAN, -1, 0, 1e-300, 1e-15, 1e-3, 1, 1e9, 1e15, 1e300, INFINITY};
	struct rng r;

	rng_init(&r, 16);
	for (size_t round = 0; round < tap_rounds(20000); round++) {
		struct rate_gamma g = rate_gamma_clean(
			(struct rate_gamma){exp(20 * rng_normal(&r)), exp(20 * rng_normal(&r))});

		for (int i = 0; i < 20; i++) {
			double length = LENGTHS[rng_below(&r, ARRAY_LEN(LENGTHS))];

			rate_gamma_observe(&g, (struct rate_interval){.length = length,
						       .changed = rng_below(&r, 2),
						       .exact = rng_below(&r, 4) == 0});
		}
		if (!CHECK(g.shape >= RATE_SHAPE_MIN && g.shape <= RATE_SHAPE_MAX) ||
			!CHECK(g.time >= RATE_TIME_MIN && g.time <= RATE_TIME_MAX))
			return;
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_change);
	TAP_RUN(test_limits);
	TAP_RUN(test_exact);
	TAP_RUN(test_survival);
	TAP_RUN(test_total);
	return tap_done();
}
