/* The sum that SHARC-selective keeps, against adding it up, while h and first move. */
#include "plan/shift_sum.h"

#include "graphs.h"

static double direct(const double *m, size_t first, size_t n, size_t h)
{
	double sum = 0;

	for (size_t x = first; x < n; x++)
		sum += exp(-m[x] * (double)(x - h - 1)) * -expm1(-m[x]);
	return sum;
}

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x > y ? -1 : x < y;
}

enum family {
	TINY,
	HUGE_RATES,
	EQUAL,
	ZIPF,
	DECADES,
	HALF_ZERO,
	ALL_ZERO,
	ONE_HOT,
	TWO_CLASSES,
	SUBNORMAL
};

static double draw(struct rng *rng, enum family family, size_t i)
{
	switch (family) {
	case TINY:
		return power_between(rng, -20, -8);
	case HUGE_RATES:
		return power_between(rng, 1, 8);
	case EQUAL:
		return 0.03;
	case ZIPF:
		return 10 * pow((double)(i + 1), -1.2);
	case DECADES:
		return power_between(rng, -100, 3); /* more factors of two than there are classes */
	case HALF_ZERO:
		return i % 2 ? power_between(rng, -3, 0) : 0;
	case ONE_HOT:
		return i == 0 ? 5 : 1e-4;
	case TWO_CLASSES:
		return i < 50 ? 1 : 0.49; /* the second begins to count when the first is gone */
	case SUBNORMAL:
		return i % 2 ? power_between(rng, -3, 0) : power_between(rng, -320, -300);
	default:
		return 0;
	}
}

/* Eleven digits, however small the sum; only where numbers end there may be nothing left. */
static bool follow(struct rng *rng, const double *m, size_t n, unsigned give_up_percent)
{
	struct shift_sum s;
	size_t h = 0;
	bool ok = true;

	shift_sum_init(&s, m, n ? 1 : 0, n);
	for (size_t i = 0; ok && i < n; i++) {
		double want;

		shift_sum_pass(&s, i + 2);
		if (rng_below(rng, 100) < give_up_percent)
			shift_sum_give_up(&s, ++h);
		want = direct(m, i + 2, n, h);
		ok = CHECK_NEAR(shift_sum_value(&s), want, 1e-11 * want + 1e-290);
	}
	return ok;
}

static void test_against_sums(void)
{
	static const struct {
		const char *label;
		enum family family;
	} rows[] = {
		{"tiny", TINY},
		{"huge", HUGE_RATES},
		{"equal", EQUAL},
		{"zipf", ZIPF},
		{"a hundred decades", DECADES},
		{"half of them zero", HALF_ZERO},
		{"all zero", ALL_ZERO},
		{"one hot page", ONE_HOT},
		{"two classes", TWO_CLASSES},
		{"subnormal", SUBNORMAL},
	};
	static const unsigned give_up[] = {0, 5, 50, 95, 100};
	static const size_t lengths[] = {1, 2, 3, 50, 400};
	struct rng rng;

	rng_init(&rng, 7);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool ok = true;

		tap_case("sum: %s", rows[i].label);
		for (size_t l = 0; l < ARRAY_LEN(lengths); l++) {
			double *m = need(lengths[l], sizeof *m);

			for (size_t x = 0; x < lengths[l]; x++)
				m[x] = draw(&rng, rows[i].family, x);
			qsort(m, lengths[l], sizeof *m, descending);
			for (size_t g = 0; ok && g < ARRAY_LEN(give_up); g++)
				ok = follow(&rng, m, lengths[l], give_up[g]);
			free(m);
		}
	}
}

/* Before anything moves, and when many pages are given up at once. */
static void test_jumps(void)
{
	enum { N = 300 };
	double m[N];
	struct shift_sum s;

	for (size_t x = 0; x < N; x++)
		m[x] = 2 * pow((double)(x + 1), -0.8);
	shift_sum_init(&s, m, 1, N);
	CHECK_NEAR(shift_sum_value(&s), direct(m, 1, N, 0), 1e-12);
	shift_sum_pass(&s, 200);
	shift_sum_give_up(&s, 150);
	CHECK_NEAR(shift_sum_value(&s), direct(m, 200, N, 150), 1e-12);
	shift_sum_give_up(&s, 199);
	CHECK_NEAR(shift_sum_value(&s), direct(m, 200, N, 199), 1e-12);
	shift_sum_pass(&s, N);
	CHECK_NEAR(shift_sum_value(&s), 0, 0);
}

static void test_term(void)
{
	CHECK_NEAR(shift_term(0.5, 3, 0), exp(-1) - exp(-1.5), 1e-15);
	CHECK_NEAR(shift_term(0.5, 3, 2), 1 - exp(-0.5), 1e-15);
	CHECK_NEAR(shift_term(1e-12, 1, 0), 1e-12, 1e-24);
	CHECK_NEAR(shift_term(0, 3, 1), 0, 0);
	CHECK_NEAR(shift_term(1e6, 1, 0), 1, 0);
	CHECK_NEAR(shift_term(1e6, 2, 0), 0, 0);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_against_sums();
	TAP_RUN(test_jumps);
	TAP_RUN(test_term);
	return tap_done();
}
