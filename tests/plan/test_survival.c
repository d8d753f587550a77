#include <math.h>

#include "plan/survival.h"
#include "tap.h"

static const struct {
	const char *label;
	struct survival s;
} lives[] = {
	{"Poisson", {0.3, 0}},
	{"Poisson, still", {0, 0}},
	{"Poisson, huge rate", {1e300, 0}},
	{"Poisson, tiny rate", {1e-300, 0}},
	{"Gamma, shape 1", {0.3, 1}},
	{"Gamma, shape 0.02", {2, 0.02}},
	{"Gamma, shape 50", {0.1, 50}},
	{"Gamma, still", {0, 3}},
	{"Gamma, huge rate", {1e300, 2}},
	{"Gamma, tiny shape and huge rate", {1e300, 1e-300}},
	{"Gamma, huge shape", {0.3, 1e300}},
};

static const double lengths[] = {0, 1e-9, 0.01, 0.5, 1, 3, 10, 100, 1e4, 1e8};

/* Values by hand. */
static void test_values(void)
{
	static const struct {
		const char *label;
		struct survival s;
		double length, want;
	} rows[] = {
		{"e^-1", {0.5, 0}, 2, 0.36787944117144233},
		{"e^-800 is nothing", {8, 0}, 100, 0},
		{"(1 + 2)^-1", {1, 1}, 2, 1.0 / 3},
		{"(1 + 3)^-2", {3, 2}, 2, 1.0 / 16},
		{"(1 + L/b)^-a", {2.5 / 4, 2.5}, 12, 0.03125}, /* a = 2.5, b = 4: 4^-2.5 */
		{"beyond doubles, but nearly 1", {1e300, 1e-300}, 1e8, 1},
	};

	for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
		tap_case("values: %s", rows[r].label);
		CHECK_NEAR(survival_at(rows[r].s, rows[r].length), rows[r].want, 1e-15);
	}
	tap_case("values: by a and b");
	CHECK_NEAR(survival_at(survival_gamma(2.5, 4), 12), 0.03125, 1e-15);
	CHECK_NEAR(survival_at(survival_poisson(0.5), 2), 0.36787944117144233, 1e-15);
}

/* From 1 at length 0 it falls, ever more slowly. */
static void test_shape(void)
{
	for (size_t i = 0; i < ARRAY_LEN(lives); i++) {
		struct survival s = lives[i].s;

		tap_case("shape: %s", lives[i].label);
		CHECK(survival_valid(s));
		CHECK_NEAR(survival_at(s, 0), 1, 0);
		for (size_t k = 1; k < ARRAY_LEN(lengths); k++) {
			double a = lengths[k - 1], b = lengths[k];
			double at_a = survival_at(s, a), at_b = survival_at(s, b);

			CHECK(at_b >= 0 && at_b <= at_a);
			CHECK(survival_at(s, (a + b) / 2) <= (at_a + at_b) / 2 * (1 + 1e-14));
		}
	}
}

/* S(a + L) = factor * rest(L), and what is left is a life of the same family. */
static void test_after(void)
{
	for (size_t i = 0; i < ARRAY_LEN(lives); i++) {
		tap_case("after: %s", lives[i].label);
		for (size_t j = 0; j < ARRAY_LEN(lengths); j++) {
			double factor = -1;
			struct survival rest = survival_after(lives[i].s, lengths[j], &factor);

			CHECK(survival_valid(rest));
			CHECK_NEAR(rest.shape, lives[i].s.shape, 0);
			CHECK_NEAR(factor, survival_at(lives[i].s, lengths[j]), 0);
			for (size_t k = 0; k < ARRAY_LEN(lengths); k++)
				CHECK_NEAR(factor * survival_at(rest, lengths[k]),
					survival_at(lives[i].s, lengths[j] + lengths[k]), 1e-12);
		}
	}
}

/* All at once as one by one. */
static void test_series(void)
{
	enum { N = 64 };
	static const double first = 0.25, step = 0.75;

	for (size_t i = 0; i < ARRAY_LEN(lives); i++) {
		double series[N];

		tap_case("series: %s", lives[i].label);
		survival_series(lives[i].s, first, step, series, N);
		for (size_t j = 0; j < N; j++)
			CHECK_NEAR(series[j], survival_at(lives[i].s, first + (double)j * step),
				1e-12);
	}
}

/* -dS/d(rate) by central differences. */
static void test_sensitivity(void)
{
	static const struct survival rows[] = {{0.3, 0}, {2, 0}, {0.3, 1}, {2, 0.02}, {0.1, 50}};
	const double h = 1e-5;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		for (size_t k = 0; k < 8; k++) {
			struct survival more = rows[i], less = rows[i];
			double slope;

			more.rate *= 1 + h;
			less.rate *= 1 - h;
			slope = (survival_at(less, lengths[k]) - survival_at(more, lengths[k])) /
				(2 * h * rows[i].rate);
			CHECK_NEAR(survival_sensitivity(rows[i], lengths[k]), slope,
				1e-8 * (1 + lengths[k]));
		}
	}
	CHECK_NEAR(survival_sensitivity(survival_poisson(1e300), 5), 0, 0);
	CHECK_NEAR(survival_sensitivity(survival_poisson(0), 5), 5, 0);
}

/* The confidence length is where S falls below tau (SOLAR eq. 1). */
static void test_confidence(void)
{
	static const double taus[] = {0.05, 0.2, 0.7, 0.95, 1};

	for (size_t i = 0; i < ARRAY_LEN(lives); i++) {
		tap_case("confidence: %s", lives[i].label);
		for (size_t k = 0; k < ARRAY_LEN(taus); k++) {
			double length = survival_confidence(lives[i].s, taus[k]);

			CHECK(length >= 0);
			if (lives[i].s.rate == 0)
				CHECK(length == INFINITY);
			else if (isfinite(length))
				CHECK_NEAR(survival_at(lives[i].s, length), taus[k], 1e-12);
		}
	}
	tap_case("confidence: by hand");
	CHECK_NEAR(survival_confidence(survival_poisson(0.5), 0.7), 0.71334988787746478, 1e-15);
	CHECK_NEAR(survival_confidence(survival_gamma(1, 4), 0.25), 12, 1e-12);
}

/* A rate that is all but certain is as good as a known one. */
static void test_limit(void)
{
	struct survival certain = {.rate = 0.3, .shape = 1e9};

	for (size_t k = 0; k < ARRAY_LEN(lengths); k++) {
		double poisson = survival_at(survival_poisson(0.3), lengths[k]);

		CHECK_NEAR(survival_at(certain, lengths[k]), poisson, 1e-8);
		CHECK_NEAR(survival_sensitivity(certain, lengths[k]), lengths[k] * poisson, 1e-7);
	}
}

static void test_valid(void)
{
	static const struct {
		const char *label;
		struct survival s;
		bool want;
	} rows[] = {
		{"still", {0, 0}, true},
		{"rate", {5, 0}, true},
		{"shape", {5, 0.5}, true},
		{"negative rate", {-1, 0}, false},
		{"negative shape", {1, -1}, false},
		{"NaN rate", {NAN, 0}, false},
		{"NaN shape", {1, NAN}, false},
		{"infinite rate", {INFINITY, 0}, false},
		{"infinite shape", {1, INFINITY}, false},
	};

	for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
		tap_case("valid: %s", rows[r].label);
		CHECK(survival_valid(rows[r].s) == rows[r].want);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_values();
	test_shape();
	test_after();
	test_series();
	TAP_RUN(test_sensitivity);
	test_confidence();
	TAP_RUN(test_limit);
	test_valid();
	return tap_done();
}
