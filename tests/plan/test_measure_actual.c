/* Actual blur: SHARC section 9.2 by hand, by counting, and on average over Poisson histories. */
#include "plan/measure.h"

#include "reference.h"
#include "tap.h"

/* Expected values worked by hand from eq. 23 (cut to the interval where t lies outside). */
static void test_single(void)
{
	static const struct {
		const char *label;
		double changes[4];
		size_t len;
		double t;
		struct blur_interval obs;
		double want;
	} rows[] = {
		{"no change", {0}, 0, 5, {0, 10}, 0},
		{"changes on both sides", {2, 4, 7, 9}, 4, 5, {0, 10}, (2 + 4 + 3 + 1) / 10.0},
		{"interval not from 0", {12, 17}, 2, 15, {10, 20}, (2 + 3) / 10.0},
		{"two changes at once", {2, 2}, 2, 5, {0, 10}, 0.4},
		{"change at the download is in it", {4}, 1, 4, {0, 10}, 0.4},
		{"changes at the ends", {0, 10}, 2, 5, {0, 10}, 0},
		{"changes beyond the ends", {-1, 11}, 2, 5, {0, 10}, 0},
		/* Section 9.2: the utility of OP is the actual blur of a download at the end. */
		{"download at the end (OP)", {1, 6, 10}, 3, 10, {0, 10}, 1.7},
		{"download at the start", {1, 6, 10}, 3, 0, {0, 10}, 1.3},
		/* A change between interval and download counts for every query. */
		{"download after the interval", {4, 11, 13, 16}, 4, 15, {0, 10}, 0.4 + 1 + 1},
		{"download before the interval", {-9, -3, 4}, 3, -5, {0, 10}, 1 + 0.6},
		{"one instant, change before", {2, 4}, 2, 5, {3, 3}, 1},
		{"one instant, change after", {2, 4}, 2, 1, {3, 3}, 1},
		{"one instant, change at query", {3}, 1, 5, {3, 3}, 0},
		{"one instant, change at query, old copy", {3}, 1, 1, {3, 3}, 1},
		{"one page's own interval", {3}, 1, 3, {3, 3}, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct change_history history = {rows[i].changes, rows[i].len};

		tap_case("single: %s", rows[i].label);
		CHECK_NEAR(blur_actual_page(history, rows[i].t, rows[i].obs), rows[i].want, 1e-14);
	}
}

/* Expected values worked by hand from eq. 24. */
static void test_revisit(void)
{
	static const struct {
		const char *label;
		double changes[4];
		size_t len;
		double visit, revisit;
		struct blur_interval obs;
		double want;
	} rows[] = {
		{"before the visit", {1}, 1, 2, 8, {0, 10}, 0.1},
		{"nearer the visit", {3}, 1, 2, 8, {0, 10}, 0.2},
		{"nearer the revisit", {7}, 1, 2, 8, {0, 10}, 0.2},
		{"after the revisit", {9}, 1, 2, 8, {0, 10}, 0.1},
		{"exactly between", {5}, 1, 2, 8, {0, 10}, 0},
		{"one in each part", {1, 3, 7, 9}, 4, 2, 8, {0, 10}, 0.6},
		{"at visit and revisit", {2, 8}, 2, 2, 8, {0, 10}, 0.2 + 0.3},
		{"interval between visit and revisit", {3, 4.5, 7}, 3, 2, 8, {4, 6},
			0.5 + 0.25 + 0.5},
		{"interval before the visit", {-2, -1, 1, 3}, 4, 2, 8, {-3, 0},
			1 / 3.0 + 2 / 3.0 + 1},
		{"interval after the revisit", {7, 9, 12, 20}, 4, 2, 8, {10, 14}, 1 + 0.5},
		{"one instant, nearer the revisit", {3, 7}, 2, 2, 8, {6, 6}, 1},
		{"one instant between: the visit", {3, 4, 7}, 3, 2, 8, {5, 5}, 2},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct change_history history = {rows[i].changes, rows[i].len};
		double blur = blur_actual_page_revisit(
			history, rows[i].visit, rows[i].revisit, rows[i].obs);

		tap_case("revisit: %s", rows[i].label);
		CHECK_NEAR(blur, rows[i].want, 1e-14);
	}
}

struct copy {
	struct change_history history;
	double visit, revisit;
};

/* Definition behind eq. 24: changes between a query and the nearer download, counted. */
static double changes_between(double query, const void *arg)
{
	const struct copy *c = arg;
	bool first = fabs(query - c->visit) <= fabs(query - c->revisit);
	double copy = first ? c->visit : c->revisit;
	int seen = 0;

	for (size_t i = 0; i < c->history.len; i++) {
		double change = c->history.times[i];

		seen += change > fmin(query, copy) && change <= fmax(query, copy);
	}
	return seen;
}

/* All steps lie on multiples of 1/2, so the midpoint rule with cells of 1/2 is exact. */
static void test_counting(void)
{
	uint64_t seed = 23;

	for (int i = 0; i < 5000; i++) {
		double times[12], next = -30, visit = ref_integer(&seed, -20, 20);
		int length = (int)ref_integer(&seed, 1, 15);
		double start = ref_integer(&seed, -12, 12);
		struct blur_interval obs = {start, start + length};
		struct copy c = {{times, 12}, visit, visit + ref_integer(&seed, 0, 15)};
		struct copy once = {{times, 12}, visit, visit};

		for (size_t h = 0; h < ARRAY_LEN(times); h++)
			times[h] = next += ref_integer(&seed, 0, 10);
		CHECK_NEAR(blur_actual_page_revisit(c.history, c.visit, c.revisit, obs),
			ref_mean(changes_between, &c, obs.start, obs.end, 2 * length), 1e-12);
		CHECK_NEAR(blur_actual_page(c.history, visit, obs),
			ref_mean(changes_between, &once, obs.start, obs.end, 2 * length), 1e-12);
	}
}

static void test_broken_preconditions(void)
{
	struct change_history none = {NULL, 0};
	struct blur_interval obs = {0, 5}, reversed = {5, 0};

	CHECK(isnan(blur_actual_page(none, 1, reversed)));
	CHECK(isnan(blur_actual_page(none, NAN, obs)));
	CHECK(isnan(blur_actual_page_revisit(none, 3, 2, obs)));
	CHECK(isnan(blur_actual_page_revisit(none, 1, NAN, obs)));
}

/* The mean actual blur over Poisson histories is the expected blur, also outside the interval. */
static void test_monte_carlo(void)
{
	static const struct {
		const char *label;
		double rate, visit, revisit;
		struct blur_interval obs;
	} rows[] = {
		{"inside", 0.5, 2, 8, {0, 10}},
		{"hot page", 3, 4, 5, {0, 10}},
		{"interval between the downloads", 0.5, 0, 10, {3, 8}},
		{"visit before the interval", 0.5, -6, 4, {0, 10}},
		{"both after the interval", 0.2, 12, 19, {0, 10}},
		{"one instant", 0.5, 2, 9, {5, 5}},
	};
	enum { RUNS = 40000 };
	uint64_t seed = 24;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double single = 0, twice = 0, times[256], rate = rows[i].rate;
		double want = blur_page(rate, rows[i].visit, rows[i].obs);
		double want_twice =
			blur_page_revisit(rate, rows[i].visit, rows[i].revisit, rows[i].obs);

		for (int run = 0; run < RUNS; run++) {
			struct change_history h = {
				times, ref_poisson(&seed, rate, -10, 20, times, ARRAY_LEN(times))};

			single += blur_actual_page(h, rows[i].visit, rows[i].obs);
			twice += blur_actual_page_revisit(
				h, rows[i].visit, rows[i].revisit, rows[i].obs);
		}
		tap_case("monte carlo: %s", rows[i].label);
		/* A mean over queries of Poisson numbers: its variance is at most its mean. */
		CHECK_NEAR(single / RUNS, want, 5 * sqrt(want / RUNS));
		CHECK_NEAR(twice / RUNS, want_twice, 5 * sqrt(want_twice / RUNS));
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_single();
	test_revisit();
	TAP_RUN(test_counting);
	TAP_RUN(test_broken_preconditions);
	test_monte_carlo();
	return tap_done();
}
