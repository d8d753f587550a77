/*
 * The solver of the assignment problem. An optimum proves itself: prices under which no page can
 * gain more than it has. That is checked here against all values, one by one; test_theorem.c
 * compares the same solver with a textbook method and with all schedules there are.
 */
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "families.h"
#include "plan/assign.h"
#include "tap.h"

/* Per page, in units of the largest weight. */
static const double TOLERANCE = 1e-10;

/* Values are at most that. */
static double scale_of(const struct assign_problem *p)
{
	double scale = 1e-290; /* where all weights are 0 */

	for (uint32_t i = 0; i < p->n; i++)
		scale = fmax(scale, assign_weight(p, i));
	return scale;
}

/* sum q + sum_i max_j (v_ij - q_j), looking at everything. */
static double dual(const struct assign_problem *p, const double *price)
{
	double sum = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		double best = -INFINITY;

		for (size_t j = 0; j < p->n; j++)
			best = fmax(best, assign_value(p, i, j) - price[j]);
		sum += best + price[i];
	}
	return sum;
}

static bool is_permutation(const uint32_t *page_of, size_t n)
{
	bool *seen = calloc(n + 1, sizeof *seen), ok = seen != NULL;

	for (size_t j = 0; ok && j < n; j++) {
		ok = page_of[j] < n && !seen[page_of[j]];
		if (ok)
			seen[page_of[j]] = true;
	}
	free(seen);
	return ok;
}

static double solve(struct instance *t)
{
	double bound = -1, total;

	CHECK_INT(assign_start(&t->p, t->page_of), 0);
	CHECK(is_permutation(t->page_of, t->p.n));
	CHECK_INT(assign_prices(&t->p, t->page_of, t->price), 0);
	CHECK_INT(assign_exact(&t->p, 1000000, t->page_of, t->price, &bound), 0);
	CHECK(is_permutation(t->page_of, t->p.n));
	total = assign_total(&t->p, t->page_of);
	CHECK_NEAR(bound, total, TOLERANCE * scale_of(&t->p) * (double)t->p.n);
	return total;
}

static void test_optimum_proves_itself(void)
{
	static const size_t sizes[] = {1, 2, 3, 5, 8, 13, 21, 34, 40, 100, 300};
	struct rng rng;

	rng_init(&rng, 1);
	for (size_t f = 0; f < FAMILIES_N; f++) {
		tap_case("optimum: %s", families[f].label);
		for (size_t k = 0; k < 2 * ARRAY_LEN(sizes); k++) {
			struct instance t;
			double total;

			instance_init(&t, &families[f], &rng, sizes[k % ARRAY_LEN(sizes)]);
			total = solve(&t);
			CHECK_NEAR(
				dual(&t.p, t.price), total, 1e-10 * scale_of(&t.p) * (double)t.p.n);
			instance_release(&t);
		}
	}
}

/* From prices and an assignment that are no good at all it only takes longer. */
static void test_from_anywhere(void)
{
	struct rng rng;

	rng_init(&rng, 2);
	for (size_t f = 0; f < FAMILIES_N; f++) {
		struct instance t;
		double best, bound = 0, scale;

		tap_case("from anywhere: %s", families[f].label);
		instance_init(&t, &families[f], &rng, 60);
		best = solve(&t);
		scale = scale_of(&t.p);
		rng_shuffle(&rng, t.page_of, t.p.n, sizeof *t.page_of);
		for (size_t j = 0; j < t.p.n; j++)
			t.price[j] = scale * (rng_double(&rng) - 0.5);
		CHECK_INT(assign_exact(&t.p, 1000000, t.page_of, t.price, &bound), 0);
		CHECK_NEAR(assign_total(&t.p, t.page_of), best, TOLERANCE * scale * 60);
		CHECK_NEAR(bound, best, TOLERANCE * scale * 60);
		instance_release(&t);
	}
}

enum { BAD_RANDOM, BAD_ZERO, BAD_RISING, BAD_HUGE, BAD_KINDS };

static double bad_price(int kind, struct rng *rng, size_t j)
{
	switch (kind) {
	case BAD_RANDOM:
		return rng_double(rng) - 0.3;
	case BAD_RISING:
		return (double)j;
	case BAD_HUGE:
		return 1e6 * rng_normal(rng);
	default:
		return 0;
	}
}

static void test_bound_is_one(void)
{
	struct rng rng;

	rng_init(&rng, 3);
	for (size_t f = 0; f < FAMILIES_N; f++) {
		tap_case("bound: %s", families[f].label);
		for (size_t round = 0; round < tap_rounds(20); round++) {
			struct instance t;
			double best, bound = -1, scale;

			instance_init(&t, &families[f], &rng, 1 + rng_below(&rng, 60));
			best = solve(&t);
			scale = scale_of(&t.p);
			for (size_t j = 0; j < t.p.n; j++)
				t.price[j] = scale * bad_price((int)(round % BAD_KINDS), &rng, j);
			CHECK_INT(assign_bound(&t.p, t.price, &bound), 0);
			CHECK(bound >= best - 1e-12 * scale * (double)t.p.n);
			/* and no worse than these prices allow: 1e6 loses some digits */
			CHECK_NEAR(bound, dual(&t.p, t.price),
				scale * (double)t.p.n *
					(round % BAD_KINDS == BAD_HUGE ? 1e-8 : 1e-11));
			instance_release(&t);
		}
	}
}

/* What is promised where no exact solution is made: 0.02 % for one family, 0.5 % for mixtures. */
static void test_gaps(void)
{
	struct rng rng;

	rng_init(&rng, 4);
	for (size_t f = 0; f < tap_rounds(FAMILIES_N); f++) {
		const struct family *family = &families[f];
		bool mixed = family->gamma || family->weights != WEIGHTS_NONE;
		struct instance t;
		double bound = 0, total;

		tap_case("gap: %s", family->label);
		instance_init(&t, family, &rng, 2000);
		CHECK_INT(assign_start(&t.p, t.page_of), 0);
		CHECK(is_permutation(t.page_of, t.p.n));
		CHECK_INT(assign_prices(&t.p, t.page_of, t.price), 0);
		CHECK_INT(assign_bound(&t.p, t.price, &bound), 0);
		total = assign_total(&t.p, t.page_of);
		CHECK(bound >= total * (1 - 1e-12));
		CHECK(bound - total <= (mixed ? 5e-3 : 1e-3) * total);
		tap_note("gap %.5f %%", 100 * (bound / total - 1));
		instance_release(&t);
	}
}

/*
 * Revisits: what is left of the lives of pages of any age. No more may be lost than was allowed,
 * which a good start alone does not promise.
 */
static void test_within(void)
{
	enum { PAGES = 600 };
	static const double LOSS = 1e-4;
	struct rng rng;

	rng_init(&rng, 12);
	for (size_t f = 0; f < tap_rounds(FAMILIES_N); f++) {
		struct assign_solution s = {0};
		float weight[PAGES];
		struct instance t;
		double optimum;

		tap_case("revisits: %s", families[f].label);
		instance_init(&t, &families[f], &rng, PAGES);
		for (uint32_t i = 0; i < PAGES; i++) {
			double age = 2.0 * (double)rng_below(&rng, PAGES), alive;

			t.survival[i] = survival_after(t.survival[i], age, &alive);
			weight[i] = (float)(alive * assign_weight(&t.p, i));
		}
		t.p.weight = weight;
		optimum = solve(&t);
		if (CHECK_INT(assign_solve_within(&t.p, LOSS, false, &s), 0)) {
			double total = assign_total(&t.p, s.page_of);

			CHECK(is_permutation(s.page_of, PAGES));
			CHECK(total >= optimum * (1 - LOSS) && total <= optimum * (1 + 1e-12));
			tap_note("loses %.6f %%", 100 * (1 - total / optimum));
		}
		assign_solution_release(&s);
		instance_release(&t);
	}
}

/* Enough pages for the thinned-out rounds of assign_guided and for sparse knots. */
static void test_many_pages(void)
{
	static const struct family mixed = {"", RATES_WIDE, true, WEIGHTS_WIDE, LENGTHS_EVEN};
	struct instance t;
	double bound = 0, total;
	struct rng rng;

	rng_init(&rng, 5);
	instance_init(&t, &mixed, &rng, 60000);
	CHECK_INT(assign_start(&t.p, t.page_of), 0);
	CHECK(is_permutation(t.page_of, t.p.n));
	CHECK_INT(assign_prices(&t.p, t.page_of, t.price), 0);
	CHECK_INT(assign_bound(&t.p, t.price, &bound), 0);
	total = assign_total(&t.p, t.page_of);
	CHECK(bound >= total && bound <= total * (1 + 5e-3));
	tap_note("gap %.5f %%", 100 * (bound / total - 1));
	instance_release(&t);
}

static void test_effort_is_limited(void)
{
	struct instance t;
	uint32_t *before;
	double best, bound = -1;
	struct rng rng;

	rng_init(&rng, 6);
	instance_init(&t, &families[9], &rng, 200);
	before = calloc(t.p.n, sizeof *before);
	best = solve(&t);
	rng_shuffle(&rng, t.page_of, t.p.n, sizeof *t.page_of);
	memset(t.price, 0, t.p.n * sizeof *t.price);
	if (CHECK(before)) {
		memcpy(before, t.page_of, t.p.n * sizeof *before);
		CHECK_INT(assign_exact(&t.p, 20, t.page_of, t.price, &bound), ERR_LIMIT);
		CHECK(memcmp(before, t.page_of, t.p.n * sizeof *before) == 0);
		CHECK(bound >= best);
		CHECK_NEAR(bound, dual(&t.p, t.price), 1e-9 * bound);
	}
	free(before);
	instance_release(&t);
}

/*
 * Whether numbers are a rising and a falling sequence, shuffled together: one pass that keeps, for
 * either sequence ending here, the best possible end of the other.
 */
static bool two_chains(const uint32_t *place, size_t n)
{
	double fall = INFINITY, rise = -INFINITY; /* the other's end if this one rises, falls */

	for (size_t i = 1; i < n; i++) {
		double here = place[i], last = place[i - 1];
		double rises = -INFINITY, falls = INFINITY; /* impossible */

		if (fall > -INFINITY && here > last)
			rises = fall;
		if (rise < INFINITY && here > rise)
			rises = fmax(rises, last);
		if (rise < INFINITY && here < last)
			falls = rise;
		if (fall > -INFINITY && here < fall)
			falls = fmin(falls, last);
		fall = rises;
		rise = falls;
		if (fall == -INFINITY && rise == INFINITY)
			return false;
	}
	return true;
}

static int hotter_first(const void *a, const void *b)
{
	double x = ((const struct survival *)a)->rate, y = ((const struct survival *)b)->rate;

	return x > y ? -1 : x < y;
}

/* Poisson pages of one weight, from hot to cold: some on ever longer, the others on ever shorter.
 */
static void test_structure(void)
{
	static const struct family kinds[] = {
		{"wide rates", RATES_WIDE, false, WEIGHTS_NONE, LENGTHS_EVEN},
		{"wide rates, random lengths", RATES_WIDE, false, WEIGHTS_NONE, LENGTHS_RANDOM},
		{"narrow rates", RATES_NARROW, false, WEIGHTS_NONE, LENGTHS_RANDOM},
		{"zipf", RATES_ZIPF, false, WEIGHTS_NONE, LENGTHS_EVEN},
	};
	const uint32_t inside[] = {1, 3, 0, 2}, crossing[] = {0, 4, 1, 3, 2};
	struct rng rng;

	tap_case("two chains: told from others");
	CHECK(!two_chains((const uint32_t[]){1, 0, 3, 2}, 4));
	CHECK(!two_chains((const uint32_t[]){2, 3, 0, 1}, 4));
	CHECK(two_chains(inside, 4));
	CHECK(two_chains(crossing, 5));
	rng_init(&rng, 7);
	for (size_t f = 0; f < ARRAY_LEN(kinds); f++) {
		tap_case("two chains: %s", kinds[f].label);
		for (size_t round = 0; round < tap_rounds(50); round++) {
			struct instance t;
			uint32_t place[64] = {0};

			instance_init(&t, &kinds[f], &rng, 3 + rng_below(&rng, 60));
			qsort(t.survival, t.p.n, sizeof *t.survival, hotter_first);
			solve(&t);
			for (uint32_t j = 0; j < t.p.n; j++)
				place[t.page_of[j]] = j;
			CHECK(two_chains(place, t.p.n));
			instance_release(&t);
		}
	}
}

static void test_extremes(void)
{
	static const struct {
		const char *label;
		size_t n;
		double rate[3], shape;
		float weight[3];
		double want; /* on the intervals 0, 2, 4 */
	} rows[] = {
		{"no page", 0, {0}, 0, {0}, 0},
		{"one page", 1, {5}, 0, {2}, 2},
		{"two pages", 2, {1, 0.5}, 0, {1, 1}, 1.3678794411714423},   /* 1 + e^-1 */
		{"two weights", 2, {1, 0.5}, 0, {9, 1}, 9.3678794411714423}, /* 9 + e^-1 */
		{"gamma", 2, {1, 1}, 1, {1, 1}, 4.0 / 3},                    /* 1 + 1/(1+2) */
		{"huge rates", 3, {1e300, 1e300, 1e300}, 0, {1, 1, 1}, 1},
		{"huge rates, gamma", 3, {1e300, 1e300, 1e300}, 2, {1, 1, 1}, 1},
		{"tiny rates", 3, {1e-300, 1e-300, 1e-300}, 0, {1, 1, 1}, 3},
		{"weights of 0", 3, {1, 2, 3}, 0, {0, 0, 0}, 0},
		{"one weight", 3, {1, 2, 3}, 0, {0, 0, 1}, 1},
		{"unlike weights", 2, {0.5, 0.5}, 0, {1e-30F, 1e30F}, 1e30},
	};

	for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
		const double length[] = {0, 2, 4};
		struct survival s[3];
		uint32_t page_of[3];
		double price[3], bound = -1;
		struct assign_problem p = {
			.n = rows[r].n, .survival = s, .weight = rows[r].weight, .length = length};

		tap_case("extremes: %s", rows[r].label);
		for (size_t i = 0; i < 3; i++)
			s[i] = (struct survival){rows[r].rate[i], rows[r].shape};
		CHECK_INT(assign_start(&p, page_of), 0);
		CHECK_INT(assign_prices(&p, page_of, price), 0);
		CHECK_INT(assign_bound(&p, price, &bound), 0);
		CHECK(bound >= rows[r].want * (1 - 1e-7));
		CHECK_INT(assign_exact(&p, 1000, page_of, price, &bound), 0);
		CHECK_NEAR(assign_total(&p, page_of), rows[r].want, 1e-7 * rows[r].want);
		CHECK_NEAR(bound, rows[r].want, 1e-7 * rows[r].want + 1e-300);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_optimum_proves_itself();
	test_from_anywhere();
	test_bound_is_one();
	test_gaps();
	TAP_RUN(test_within);
	TAP_RUN(test_many_pages);
	TAP_RUN(test_effort_is_limited);
	test_structure();
	test_extremes();
	return tap_done();
}
