/* Coherence: SHARC section 7.2 examples and Theorem 5; what happens at equality; simulation. */
#include "plan/measure.h"

#include "reference.h"
#include "tap.h"

/* Printed values are rounded; these are e^-x summed to 15 digits. */
static void test_examples(void)
{
	static const struct {
		const char *label;
		size_t n;
		double rates[5], lengths[5];
		double want;
	} rows[] = {
		{"example 9 (2.22)", 5, {0.40, 0.35, 0.30, 0.25, 0.20}, {0, 2, 4, 6, 8},
			2.2228061938466968},
		{"example 10, hopeful (1.22)", 4, {0.35, 0.30, 0.25, 0.20}, {2, 4, 6, 8},
			1.2228061938466968},
		{"example 10, hopeless (printed 1.27)", 4, {0.30, 0.25, 0.20, 0.35}, {2, 4, 6, 8},
			1.2786953518028887},
		{"example 11, second, hopeful (1.21)", 3, {0.30, 0.25, 0.20}, {2, 4, 6},
			1.2178852891776708},
		{"example 11, second, hopeless (1.22)", 3, {0.25, 0.20, 0.30}, {2, 4, 6},
			1.2211585120514417},
		{"example 11, third, hopeful (1.06)", 2, {0.25, 0.20}, {2, 4}, 1.055859623829855},
		{"example 11, third, hopeless (1.04)", 2, {0.20, 0.25}, {2, 4}, 1.0381994872070817},
		/* Why the zero interval needs a rule of its own: Definition 6 would give 0.40 up.
		 */
		{"example 11, zero interval given up", 5, {0.35, 0.30, 0.25, 0.20, 0.40},
			{0, 2, 4, 6, 8}, 2.2586474931560367},
		{"no page", 0, {0}, {0}, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("expected: %s", rows[i].label);
		CHECK_NEAR(coherence_expected(rows[i].n, rows[i].rates, rows[i].lengths, NULL),
			rows[i].want, 1e-14);
	}
}

static void test_expected_page(void)
{
	CHECK_NEAR(coherence_expected_page(0, 100), 1, 0);
	CHECK_NEAR(coherence_expected_page(100, 0), 1, 0);
	CHECK_NEAR(coherence_expected_page(0, INFINITY), 1, 0);
	CHECK_NEAR(coherence_expected_page(INFINITY, 0), 1, 0);
	CHECK_NEAR(coherence_expected_page(INFINITY, 1), 0, 0);
	CHECK_NEAR(coherence_expected_page(1e-9, 1e6), 0.99900049983337499, 1e-15);
	CHECK(isnan(coherence_expected_page(1, -1)));
	CHECK(isnan(coherence_expected_page(-1, 1)));
	CHECK(isnan(coherence_expected_page(NAN, 0)));
	CHECK(isnan(coherence_expected_page(0, NAN)));
}

static void test_weights(void)
{
	static const double rates[] = {0.5, 0, 2}, lengths[] = {2, 7, 1}, weights[] = {10, 3, 0};

	CHECK_NEAR(coherence_expected(3, rates, lengths, weights), 10 * exp(-1) + 3, 1e-14);
}

enum { SLOTS = 60 };

/* Expected coherence of n pages of one rate with lengths first, first + step, .. */
static double same_rates(int n, double rate, double first, double step)
{
	double rates[SLOTS], lengths[SLOTS];

	for (int i = 0; i < n; i++) {
		rates[i] = rate;
		lengths[i] = first + i * step;
	}
	return coherence_expected((size_t)n, rates, lengths, NULL);
}

/*
 * Theorem 5 in both conventions (one page on a shared middle slot, or none). By convexity of e^-x
 * it holds for every n, not only "for large enough n": both schedules have the same mean length.
 */
static void test_theorem_5(void)
{
	static const double rates[] = {1e-6, 1e-3, 0.01, 0.1, 0.5, 1, 3};

	for (size_t r = 0; r < ARRAY_LEN(rates); r++) {
		double rate = rates[r];

		tap_case("theorem 5: rate %g", rate);
		for (int n = 1; n <= SLOTS; n++) {
			double pyramid = same_rates(n, rate, 0, 2);
			double equidistant = 1 + same_rates(n - 1, rate, n, 0);

			CHECK(pyramid >= equidistant - 1e-12);
			CHECK(same_rates(n, rate, 1, 2) >= same_rates(n, rate, n, 0) - 1e-12);
			/* Geometric series. */
			CHECK_NEAR(pyramid, expm1(-2 * n * rate) / expm1(-2 * rate), 1e-11);
		}
	}
}

static void test_actual_page(void)
{
	static const double times[] = {3, 5, 5, 8};
	static const struct {
		const char *label;
		double visit, revisit;
		bool want;
	} rows[] = {
		{"before all changes", 0, 2, true},
		{"between changes", 3.5, 4.5, true},
		{"after all changes", 9, 100, true},
		{"a change inside", 2, 4, false},
		{"all changes inside", 0, 100, false},
		{"change at the visit: uncertain", 3, 4, false},
		{"change at the revisit: uncertain", 2, 3, false},
		{"changes at both ends", 3, 5, false},
		{"one instant without change", 4, 4, true},
		{"one instant with a change: uncertain", 5, 5, false},
		{"next representable time after a change", 3.0000000000000004, 4, true},
		{"reversed: no evidence", 4.5, 3.5, false},
		{"no visit", NAN, 4, false},
		{"no revisit", 9, NAN, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct change_history history = {times, ARRAY_LEN(times)};
		double visit = rows[i].visit, revisit = rows[i].revisit;

		tap_case("actual: %s", rows[i].label);
		CHECK_INT(coherence_actual_page(history, visit, revisit), rows[i].want);
	}
	tap_case("actual: page that never changes");
	CHECK(coherence_actual_page((struct change_history){NULL, 0}, 0, 1e9));
}

static void test_history_counts(void)
{
	static const double times[] = {3, 5, 5, 8};
	struct change_history history = {times, ARRAY_LEN(times)};

	for (int i = 0; i <= 20; i++) {
		double t = i / 2.0;
		size_t before = 0, until = 0;

		for (size_t j = 0; j < ARRAY_LEN(times); j++) {
			before += times[j] < t;
			until += times[j] <= t;
		}
		CHECK_INT((int64_t)change_history_before(history, t), (int64_t)before);
		CHECK_INT((int64_t)change_history_until(history, t), (int64_t)until);
	}
}

/* The schedule of Example 9 on simulated sites: mean actual coherence is the expected one. */
static void test_monte_carlo(void)
{
	static const double rates[] = {0.40, 0.35, 0.30, 0.25, 0.20};
	static const double visits[] = {0, -1, -2, -3, -4}, revisits[] = {0, 1, 2, 3, 4};
	enum { PAGES = 5, RUNS = 40000 };
	uint64_t seed = 9;
	size_t coherent = 0;

	for (int run = 0; run < RUNS; run++) {
		for (int i = 0; i < PAGES; i++) {
			double times[128];
			struct change_history history = {
				times, ref_poisson(&seed, rates[i], -5, 5, times, 128)};

			coherent += coherence_actual_page(history, visits[i], revisits[i]);
		}
	}
	/* Variance of five independent verdicts is at most 5/4. */
	CHECK_NEAR((double)coherent / RUNS, 2.2228061938466968, 5 * sqrt(1.25 / RUNS));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_examples();
	TAP_RUN(test_expected_page);
	TAP_RUN(test_weights);
	test_theorem_5();
	test_actual_page();
	TAP_RUN(test_history_counts);
	TAP_RUN(test_monte_carlo);
	return tap_done();
}
