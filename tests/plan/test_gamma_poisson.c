#include "plan/gamma_poisson.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "tap.h"

/* Gamma with a whole shape: the sum of exponentials. */
static double gamma_of(struct rng *r, int shape, double time)
{
	double sum = 0;

	for (int i = 0; i < shape; i++)
		sum += rng_exponential(r, time);
	return sum;
}

/* Events of rate 1 until the mean. */
static uint64_t poisson_of(struct rng *r, double mean)
{
	uint64_t count = 0;

	for (double at = rng_exponential(r, 1); at < mean; at += rng_exponential(r, 1))
		count++;
	return count;
}

/* Counts from a known prior give it back. */
static void test_recovers(void)
{
	static const struct {
		const char *label;
		int shape;
		double time, watched;
	} ROWS[] = {
		{"watched long", 2, 50, 1000},
		{"watched shortly", 2, 50, 20},
		{"exponential", 1, 3, 10},
		{"nearly equal", 20, 100, 30},
	};
	enum { N = 20000 };
	struct rate_count *counts = calloc(N, sizeof *counts);

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct rate_gamma g;
		struct rng r;

		tap_case("recovers: %s", ROWS[i].label);
		rng_init(&r, i);
		for (int k = 0; k < N; k++) {
			double rate = gamma_of(&r, ROWS[i].shape, ROWS[i].time);
			double watched = ROWS[i].watched * (0.5 + rng_double(&r));

			counts[k] = (struct rate_count){poisson_of(&r, rate * watched), watched};
		}
		g = rate_gamma_fit(counts, N);
		CHECK_NEAR(g.shape / g.time, ROWS[i].shape / ROWS[i].time,
			0.05 * ROWS[i].shape / ROWS[i].time);
		CHECK_NEAR(g.shape, ROWS[i].shape, 0.15 * ROWS[i].shape);
	}
	free(counts);
}

/* The derivative of the likelihood by both numbers vanishes: checked by small steps. */
static double likelihood(const struct rate_count *c, size_t n, double a, double b)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += lgamma(a + (double)c[i].changes) - lgamma(a) + a * log(b) -
		       (a + (double)c[i].changes) * log(b + c[i].time);
	return sum;
}

static void test_is_the_maximum(void)
{
	/* Few busy pages among many quiet ones, one of them beyond the short products. */
	static const struct rate_count COUNTS[] = {{0, 100}, {0, 90}, {0, 3}, {0, 400}, {1, 200},
		{2, 100}, {0, 0}, {30, 100}, {400, 300}, {9, 50}, {25, 60}};
	struct rate_gamma g = rate_gamma_fit(COUNTS, ARRAY_LEN(COUNTS));
	double most = likelihood(COUNTS, ARRAY_LEN(COUNTS), g.shape, g.time);

	for (int i = -1; i <= 1; i++)
		for (int k = -1; k <= 1; k++)
			CHECK(likelihood(COUNTS, ARRAY_LEN(COUNTS), g.shape * (1 + 0.01 * i),
				      g.time * (1 + 0.01 * k)) <= most);
	CHECK(g.shape > 0.05 && g.shape < 1);
}

static void test_nothing_to_learn(void)
{
	static const struct rate_count QUIET[] = {{0, 30}, {0, 70}}, UNSEEN[] = {{0, 0}};
	struct rate_gamma g = rate_gamma_fit(QUIET, 2);

	CHECK_NEAR(g.shape, 0.5, 0);
	CHECK_NEAR(g.time, 100, 0);
	g = rate_gamma_fit(UNSEEN, 1);
	CHECK_NEAR(g.shape / g.time, 0.5, 0);
	g = rate_gamma_fit(NULL, 0);
	CHECK_NEAR(g.shape / g.time, 0.5, 0);
}

static void test_posterior(void)
{
	struct rate_gamma g =
		rate_gamma_posterior((struct rate_gamma){2, 10}, (struct rate_count){3, 40});

	CHECK_NEAR(g.shape, 5, 0);
	CHECK_NEAR(g.shape / g.time, 0.1, 1e-15);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_recovers();
	TAP_RUN(test_is_the_maximum);
	TAP_RUN(test_nothing_to_learn);
	TAP_RUN(test_posterior);
	return tap_done();
}
