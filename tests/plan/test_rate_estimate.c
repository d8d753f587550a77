#include "plan/rate_estimate.h"

#include <math.h>

#include "base/rng.h"
#include "tap.h"

enum { INTERVALS_MAX = 8, UNKNOWN = -1 };

/*
 * Expected values: eq. 3 and 4 by hand, e.g. 4/18 * ln(4.5/2.5); eq. 5 for one change and one
 * steady interval of length 1 is 1/(e^x - 1) = 1, so ln 2; the others by bisection in 30 digits.
 */
static void test_values(void)
{
	static const struct {
		const char *label;
		size_t count;
		struct rate_interval seen[INTERVALS_MAX];
		double naive, bias_reduced, mle, hacs;
	} ROWS[] = {
		{"nothing", 0, {{0, false, false}}, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN},
		{"no change", 2, {{3, false, false}, {7, false, false}}, 0, 0, 0, 0},
		{"all changed", 2, {{1, true, false}, {3, true, false}}, 0.5, 0.80471895621705,
			UNKNOWN, 0.80471895621705}, /* 2/4 ln 5 */
		{"one of two", 2, {{1, true, false}, {1, false, false}}, 0.5, 0.5108256237659907,
			0.693147180559945, 0.693147180559945}, /* ln(2.5/1.5) */
		{"irregular", 4,
			{{5, true, false}, {3, false, false}, {8, true, false}, {2, false, false}},
			2.0 / 18, 0.1306192588671373, 0.198480923190277, 0.198480923190277},
		{"far apart", 4,
			{{10, true, false}, {0.001, true, false}, {30, true, false},
				{100, false, false}},
			3 / 140.001, 4 / 140.001 * 1.0986122886681098, 0.0254456071473182,
			0.0254456071473182},
		{"lengths that cannot be", 6,
			{{1, true, false}, {0, true, false}, {-5, true, false}, {NAN, false, false},
				{-INFINITY, true, false}, {1, false, false}},
			0.5, 0.5108256237659907, 0.693147180559945, 0.693147180559945},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		double naive = UNKNOWN, reduced = UNKNOWN, mle = UNKNOWN, hacs = UNKNOWN;
		struct rate_tally t = rate_tally_of(ROWS[i].seen, ROWS[i].count);

		tap_case("values: %s", ROWS[i].label);
		CHECK(rate_naive(&t, &naive) == (ROWS[i].naive >= 0));
		CHECK(rate_bias_reduced(&t, &reduced) == (ROWS[i].bias_reduced >= 0));
		CHECK(rate_mle(ROWS[i].seen, ROWS[i].count, &mle) == (ROWS[i].mle >= 0));
		CHECK(rate_hacs(ROWS[i].seen, ROWS[i].count, &hacs) == (ROWS[i].hacs >= 0));
		CHECK_NEAR(naive, ROWS[i].naive, 1e-14);
		CHECK_NEAR(reduced, ROWS[i].bias_reduced, 1e-12);
		CHECK_NEAR(mle, ROWS[i].mle, 1e-12);
		CHECK_NEAR(hacs, ROWS[i].hacs, 1e-12);
	}
}

/* Figure 1 of HACS: changed visits move to midpoints, the others stay. */
static void test_interpolate(void)
{
	static const struct rate_visit VISITS[] = {
		{0, true}, {4, true}, {5, false}, {9, false}, {11, true}, {15, true}};
	static const double LENGTHS[] = {2, 3, 4, 1, 3};
	struct rate_interval out[ARRAY_LEN(VISITS)];
	double last = -1;

	CHECK_INT((int64_t)rate_interpolate(VISITS, 0, out, &last), 0);
	CHECK_INT((int64_t)rate_interpolate(VISITS, 1, out, &last), 0);
	CHECK_NEAR(last, -1, 0);
	CHECK_INT((int64_t)rate_interpolate(VISITS, ARRAY_LEN(VISITS), out, &last), 5);
	CHECK_NEAR(last, 13, 0);
	for (size_t i = 0; i < ARRAY_LEN(LENGTHS); i++) {
		CHECK_NEAR(out[i].length, LENGTHS[i], 0);
		CHECK(out[i].changed == VISITS[i + 1].changed);
	}
}

/* Whatever comes in, a known rate is a finite number that is not negative. */
static void test_total(void)
{
	static const double LENGTHS[] = {
		NAN, -1, 0, 5e-324, 1e-300, 1e-15, 1e-3, 1, 1e9, 1e15, 1e300, INFINITY};
	struct rate_interval seen[6];
	struct rng r;

	rng_init(&r, 13);
	for (size_t round = 0; round < tap_rounds(200000); round++) {
		size_t n = rng_below(&r, ARRAY_LEN(seen) + 1);
		double rate = 0;
		struct rate_tally t;

		for (size_t i = 0; i < n; i++)
			seen[i] = (struct rate_interval){
				.length = LENGTHS[rng_below(&r, ARRAY_LEN(LENGTHS))],
				.changed = rng_below(&r, 2)};
		t = rate_tally_of(seen, n);
		if (!CHECK(!rate_naive(&t, &rate) || (isfinite(rate) && rate >= 0)) ||
			!CHECK(!rate_bias_reduced(&t, &rate) || (isfinite(rate) && rate >= 0)) ||
			!CHECK(!rate_hacs(seen, n, &rate) || (isfinite(rate) && rate >= 0)))
			return;
	}
}

/* Simulated Poisson pages of known rate: eq. 5 gives it back, X/T does not. */
static void test_recovers(void)
{
	static const double RATES[] = {0.02, 0.1, 0.5};
	enum { N = 20000 };
	static struct rate_interval seen[N];
	struct rng r;

	rng_init(&r, 5);
	for (size_t k = 0; k < ARRAY_LEN(RATES); k++) {
		struct rate_tally t;
		double naive = 0, mle = 0;

		tap_case("recovers: %g", RATES[k]);
		for (size_t i = 0; i < N; i++) {
			double length = exp(1 + rng_normal(&r));

			seen[i] = (struct rate_interval){.length = length,
				.changed = rng_exponential(&r, RATES[k]) <= length};
		}
		t = rate_tally_of(seen, N);
		CHECK(rate_naive(&t, &naive) && rate_mle(seen, N, &mle));
		CHECK_NEAR(mle, RATES[k], 0.07 * RATES[k]);
		CHECK(naive < 0.97 * RATES[k]);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_values();
	TAP_RUN(test_interpolate);
	TAP_RUN(test_total);
	test_recovers();
	return tap_done();
}
