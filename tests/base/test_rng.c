#include "base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "tap.h"

enum { DRAWS = 200000 };

/* Output of the authors' splitmix64.c for seed 1234567. */
static void test_splitmix64_vector(void)
{
	static const uint64_t want[] = {UINT64_C(6457827717110365317),
		UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
		UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
	uint64_t state = 1234567;

	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		CHECK(rng_splitmix64(&state) == want[i]);
}

/* Output of the authors' xoshiro256starstar.c from the state 1, 2, 3, 4. */
static void test_xoshiro_vector(void)
{
	static const uint64_t want[] = {UINT64_C(11520), UINT64_C(0), UINT64_C(1509978240),
		UINT64_C(1215971899390074240), UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600), UINT64_C(16172922978634559625),
		UINT64_C(8476171486693032832), UINT64_C(10595114339597558777),
		UINT64_C(2904607092377533576)};
	struct rng r = {{1, 2, 3, 4}};

	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		CHECK(rng_u64(&r) == want[i]);
}

/* Both together: the state is four numbers of splitmix64(42). */
static void test_seeding_vector(void)
{
	static const uint64_t want[] = {UINT64_C(0x15780b2e0c2ec716), UINT64_C(0x6104d9866d113a7e),
		UINT64_C(0xae17533239e499a1), UINT64_C(0xecb8ad4703b360a1)};
	struct rng r;

	rng_init(&r, 42);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		CHECK(rng_u64(&r) == want[i]);
}

static void test_below_is_uniform(void)
{
	static const uint64_t ns[] = {1, 2, 3, 7, 10, 16};
	struct rng r;

	rng_init(&r, 4);
	for (size_t i = 0; i < ARRAY_LEN(ns); i++) {
		double chi2 = 0, expected = (double)DRAWS / (double)ns[i];
		int counts[16] = {0};

		tap_case("below %d", (int)ns[i]);
		for (int k = 0; k < DRAWS; k++) {
			uint64_t x = rng_below(&r, ns[i]);

			if (CHECK(x < ns[i]))
				counts[x]++;
		}
		for (uint64_t v = 0; v < ns[i]; v++)
			chi2 += (counts[v] - expected) * (counts[v] - expected) / expected;
		CHECK(chi2 < 45); /* 15 degrees of freedom: p < 1e-4 */
	}
}

/* With n = 3·2^62 an unguarded product would give one residue modulo 3 twice as often. */
static void test_below_of_large_n(void)
{
	const uint64_t n = UINT64_C(3) << 62;
	int counts[3] = {0};
	struct rng r;

	rng_init(&r, 5);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t x = rng_below(&r, n);

		CHECK(x < n);
		counts[x % 3]++;
	}
	for (int i = 0; i < 3; i++)
		CHECK_NEAR((double)counts[i] / DRAWS, 1.0 / 3, 0.005);
}

/* Sums of draws, and what they should come to. */
struct moments {
	double sum, squares;
	double min, max;
};

static void count(struct moments *m, double x)
{
	m->min = fmin(m->min, x);
	m->max = fmax(m->max, x);
	m->sum += x;
	m->squares += x * x;
}

static void check_moments(const struct moments *m, double mean, double variance, double kurtosis)
{
	double got = m->sum / DRAWS;
	double spread = m->squares / DRAWS - got * got;

	/* Five standard errors: one run in a million would fail, but seeds are fixed. */
	CHECK_NEAR(got, mean, 5 * sqrt(variance / DRAWS) + 1e-12);
	CHECK_NEAR(spread, variance, 5 * variance * sqrt((kurtosis - 1) / DRAWS) + 1e-12);
}

static void test_double(void)
{
	struct moments m = {.min = INFINITY, .max = -INFINITY};
	struct rng r;

	rng_init(&r, 6);
	for (int i = 0; i < DRAWS; i++)
		count(&m, rng_double(&r));
	check_moments(&m, 0.5, 1.0 / 12, 1.8);
	CHECK(m.min >= 0 && m.min < 1e-4);
	CHECK(m.max < 1 && m.max > 1 - 1e-4);
}

static void test_double_at_its_ends(void)
{
	struct rng least = {{0, 0, 1, 0}};

	CHECK_NEAR(rng_double(&least), 0, 0);
	CHECK_NEAR((double)(UINT64_MAX >> 11) * 0x1p-53, 1 - 0x1p-53, 0);
}

static void test_exponential(void)
{
	static const double rates[] = {1e-6, 1, 250};
	struct rng r;

	rng_init(&r, 7);
	for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
		struct moments m = {.min = INFINITY, .max = -INFINITY};
		double mean = 1 / rates[i];
		int longer = 0;

		tap_case("exponential of rate %g", rates[i]);
		for (int k = 0; k < DRAWS; k++) {
			double x = rng_exponential(&r, rates[i]);

			longer += x > 2 * mean;
			count(&m, x);
		}
		check_moments(&m, mean, mean * mean, 9);
		CHECK(m.min >= 0);
		CHECK_NEAR((double)longer / DRAWS, exp(-2), 0.004);
	}
}

static void test_normal(void)
{
	struct moments m = {.min = INFINITY, .max = -INFINITY};
	int within = 0;
	struct rng r;

	rng_init(&r, 8);
	for (int i = 0; i < DRAWS; i++) {
		double x = rng_normal(&r);

		within += fabs(x) < 1;
		count(&m, x);
	}
	check_moments(&m, 0, 1, 3);
	CHECK_NEAR((double)within / DRAWS, 0.682689, 0.005);
}

static void test_shuffle(void)
{
	int counts[6] = {0};
	struct rng r;

	rng_init(&r, 11);
	for (int i = 0; i < 60000; i++) {
		uint32_t ids[] = {0, 1, 2};

		rng_shuffle(&r, ids, 3, sizeof *ids);
		if (CHECK_INT(ids[0] + ids[1] + ids[2], 3) && CHECK(ids[0] != ids[1]))
			counts[ids[0] * 2 + (ids[1] > ids[2])]++;
	}
	for (int i = 0; i < 6; i++)
		CHECK_NEAR(counts[i], 10000, 500);
	rng_shuffle(&r, NULL, 0, sizeof(uint32_t));
}

static void test_split(void)
{
	struct rng a, b, child_a, child_b, second;
	double product = 0;

	rng_init(&a, 12);
	rng_init(&b, 12);
	rng_split(&a, &child_a);
	rng_split(&b, &child_b);
	CHECK(memcmp(&child_a, &child_b, sizeof child_a) == 0);
	rng_split(&a, &second);
	CHECK(memcmp(&child_a, &second, sizeof second) != 0);
	for (int i = 0; i < DRAWS; i++)
		product += (rng_double(&child_a) - 0.5) * (rng_double(&a) - 0.5);
	CHECK_NEAR(12 * product / DRAWS, 0, 5 / sqrt(DRAWS)); /* correlation */
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_splitmix64_vector);
	TAP_RUN(test_xoshiro_vector);
	TAP_RUN(test_seeding_vector);
	test_below_is_uniform();
	TAP_RUN(test_below_of_large_n);
	TAP_RUN(test_double);
	TAP_RUN(test_double_at_its_ends);
	test_exponential();
	TAP_RUN(test_normal);
	TAP_RUN(test_shuffle);
	TAP_RUN(test_split);
	return tap_done();
}
