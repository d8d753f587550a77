#include "plan/posterior.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "plan/gamma_poisson.h"
#include "tap.h"

enum { INTERVALS_MAX = 64 };

/*
 * The product over changed intervals multiplied out is a signed sum of Gamma densities, whose
 * moments are known: summed up in 60 to 120 digits.
 */
static void test_values(void)
{
	static const struct {
		const char *label;
		struct rate_gamma prior;
		int changed;
		double lengths[2]; /* of changed intervals, in turn */
		double steady;     /* time without a change */
		double mean, variance, within[3], low, high;
	} ROWS[] = {
		{"two changes", {2, 10}, 2, {5, 8}, 5, 0.20255890622, 0.011120585358,
			{0.17897898194, 0.69946572817, 0.97360569772}, 0.053376246342,
			0.45771191234},
		{"one wide change", {0.5, 1}, 1, {30, 30}, 1, 0.328125, 0.14208984375,
			{0.23958186804, 0.67340118138, 0.9061404027}, 0.012056513573, 1.381170751},
		{"forty changes", {0.5, 15}, 40, {1, 1}, 3, 1.190192038, 0.039362031454,
			{0.68993750593, 0.9994494936, 0.99999999999}, 0.83691609617, 1.6128043627},
		/* a Gamma distribution: mean a/b, within 1 - (1 + h/b)^-a; quantiles of chi-square
		 */
		{"no change", {0.5, 15}, 0, {1, 1}, 35, 0.01, 0.0002,
			{0.00985245702, 0.06341418842, 0.20943058496}, 9.820691e-6, 0.050238862},
	};
	static const double HORIZONS[] = {1, 7, 30};
	struct rate_posterior *p = malloc(sizeof *p);

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct rate_interval seen[INTERVALS_MAX] = {{.length = ROWS[i].steady}};
		struct rate_gamma g;

		tap_case("values: %s", ROWS[i].label);
		for (int k = 0; k < ROWS[i].changed; k++)
			seen[1 + k] = (struct rate_interval){
				.length = ROWS[i].lengths[k % 2], .changed = true};
		rate_posterior_init(p, ROWS[i].prior, seen, 1 + (size_t)ROWS[i].changed);
		g = rate_posterior_gamma(p);
		CHECK_NEAR(rate_posterior_mean(p), ROWS[i].mean, 1e-9 * ROWS[i].mean);
		CHECK_NEAR(g.shape / g.time / g.time, ROWS[i].variance, 1e-8 * ROWS[i].variance);
		for (size_t k = 0; k < ARRAY_LEN(HORIZONS); k++)
			CHECK_NEAR(rate_posterior_within(p, HORIZONS[k]), ROWS[i].within[k], 1e-9);
		CHECK_NEAR(rate_posterior_quantile(p, 0.025), ROWS[i].low, 1e-3 * ROWS[i].low);
		CHECK_NEAR(rate_posterior_quantile(p, 0.975), ROWS[i].high, 1e-3 * ROWS[i].high);
	}
	free(p);
}

static void check_sound(const struct rate_posterior *p)
{
	double mean = rate_posterior_mean(p), low = rate_posterior_quantile(p, 0.025);
	double high = rate_posterior_quantile(p, 0.975), within = rate_posterior_within(p, 7);
	struct rate_gamma g = rate_posterior_gamma(p);

	CHECK(isfinite(mean) && mean > 0);
	CHECK(isfinite(high) && low >= 0 && low <= high);
	CHECK(within >= 0 && within <= 1);
	CHECK(isfinite(g.shape) && isfinite(g.time) && g.shape > 0 && g.time > 0);
}

static void test_total(void)
{
	static const double LENGTHS[] = {
		NAN, -1, 0, 1e-300, 1e-15, 1e-3, 1, 1e9, 1e15, 1e300, INFINITY};
	static const double NUMBERS[] = {NAN, -1, 0, 1e-300, 1e-6, 0.02, 1, 1e6, 1e300, INFINITY};
	struct rate_posterior *p = malloc(sizeof *p);
	struct rate_interval seen[6];
	struct rng r;

	rng_init(&r, 14);
	for (size_t round = 0; round < tap_rounds(3000); round++) {
		struct rate_gamma prior = {NUMBERS[rng_below(&r, ARRAY_LEN(NUMBERS))],
			NUMBERS[rng_below(&r, ARRAY_LEN(NUMBERS))]};
		size_t n = rng_below(&r, ARRAY_LEN(seen) + 1);

		for (size_t i = 0; i < n; i++)
			seen[i] = (struct rate_interval){
				.length = LENGTHS[rng_below(&r, ARRAY_LEN(LENGTHS))],
				.changed = rng_below(&r, 2),
				.exact = rng_below(&r, 2)};
		rate_posterior_init(p, prior, seen, n);
		check_sound(p);
	}
	free(p);
}

/* Rates drawn from the prior lie in 95 % of the intervals; the light state does nearly as well. */
static void test_coverage(void)
{
	static const struct rate_gamma PRIOR = {1, 20};
	size_t pages = tap_rounds(4000), within = 0, within_light = 0;
	struct rate_posterior *p = malloc(sizeof *p);
	struct rng r;
	double truth = 0, guess = 0, light = 0, margin;

	rng_init(&r, 15);
	for (size_t page = 0; page < pages; page++) {
		double rate = rng_exponential(&r, PRIOR.time);
		struct rate_interval seen[12];
		struct rate_gamma g = PRIOR;

		for (size_t i = 0; i < ARRAY_LEN(seen); i++) {
			double length = exp(2 + rng_normal(&r));

			seen[i] = (struct rate_interval){
				.length = length, .changed = rng_exponential(&r, rate) <= length};
			rate_gamma_observe(&g, seen[i]);
		}
		rate_posterior_init(p, PRIOR, seen, ARRAY_LEN(seen));
		within += rate >= rate_posterior_quantile(p, 0.025) &&
			  rate <= rate_posterior_quantile(p, 0.975);
		within_light += rate >= rate_gamma_quantile(g, 0.025) &&
				rate <= rate_gamma_quantile(g, 0.975);
		truth += rate;
		guess += rate_posterior_mean(p);
		light += rate_gamma_mean(g);
	}
	/* Four standard errors of a share of 0.95. */
	margin = 4 * sqrt(0.95 * 0.05 / (double)pages);
	CHECK_NEAR((double)within / (double)pages, 0.95, margin);
	CHECK_NEAR((double)within_light / (double)pages, 0.95, margin + 0.01);
	CHECK_NEAR(guess / truth, 1, 2.4 / sqrt((double)pages));
	CHECK_NEAR(light / guess, 1, 0.03);
	free(p);
}

/* P(0.02, 0.1) and digamma(0.02) in 30 digits; P(1, x) = 1 - e^-x; P(3, 7) = 1 - 32.5 e^-7. */
static void test_incomplete_gamma(void)
{
	CHECK_NEAR(rate_gamma_p(0.02, 0.1), 0.963919584765597, 1e-13);
	CHECK_NEAR(rate_gamma_p(1, 2), -expm1(-2), 1e-14);
	CHECK_NEAR(rate_gamma_p(3, 7), 0.970363836119478, 1e-13);
	CHECK_NEAR(rate_gamma_p(1e5 + 1, 1e5 + 1), 0.50042, 1e-4);
	CHECK_NEAR(rate_gamma_p(1e5 - 1, 1e5 - 1), 0.50042, 1e-4);
	CHECK_NEAR(rate_gamma_p(2, 0), 0, 0);
	CHECK_NEAR(rate_gamma_p(2, INFINITY), 1, 0);
	CHECK_NEAR(rate_digamma(0.02), -50.5447893104562, 1e-11);
	CHECK_NEAR(rate_gamma_p_inverse(1, 0.5), 0.693147180559945, 1e-12);
	CHECK_NEAR(rate_gamma_p_inverse(1e-6, 0.5), 0, 0);
	CHECK_NEAR(rate_gamma_p(0.5, rate_gamma_p_inverse(0.5, 0.975)), 0.975, 1e-12);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_values();
	TAP_RUN(test_total);
	TAP_RUN(test_coverage);
	TAP_RUN(test_incomplete_gamma);
	return tap_done();
}
