/*
 * The two claims that docs/planning.md makes, checked by brute force: that nested schedules are
 * optimal, and that the assignment solver finds the best of them and proves it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "plan/assign.h"
#include "plan/plan.h"
#include "tap.h"

enum { SMALL = 5, TEXTBOOK = 40 };

/* Poisson and Gamma-Poisson pages with rates over many decades. */
static void random_pages(struct rng *rng, struct survival *s, float *weight, size_t n)
{
	bool gamma = rng_below(rng, 2), weights = rng_below(rng, 2);

	for (size_t i = 0; i < n; i++) {
		s[i] = survival_poisson(exp(4 * rng_normal(rng) - 1));
		if (gamma && rng_below(rng, 2))
			s[i].shape = exp(rng_normal(rng));
		weight[i] = weights ? (float)rng_double(rng) : 1;
	}
}

/* Ascending, with some equal, beginning with 0 half of the time. */
static void random_offsets(struct rng *rng, double *offset, size_t n)
{
	double at = rng_below(rng, 2) ? 0 : rng_double(rng);

	for (size_t i = 0; i < n; i++) {
		offset[i] = at;
		if (rng_below(rng, 4))
			at += rng_exponential(rng, 1);
	}
}

/* Rearranges to the next permutation in lexicographic order; false after the last. */
static bool next_permutation(size_t *p, size_t n)
{
	size_t i = n, j = n, swap;

	if (n < 2)
		return false;
	i--, j--;
	while (i > 0 && p[i - 1] >= p[i])
		i--;
	if (i == 0)
		return false;
	while (p[j] <= p[i - 1])
		j--;
	swap = p[i - 1], p[i - 1] = p[j], p[j] = swap;
	for (j = n - 1; i < j; i++, j--)
		swap = p[i], p[i] = p[j], p[j] = swap;
	return true;
}

struct schedule_problem {
	size_t n;
	struct survival survival[SMALL];
	float weight[SMALL];
	double a[SMALL], b[SMALL];
};

static double schedule_value(
	const struct schedule_problem *p, const size_t *visit, const size_t *revisit)
{
	double sum = 0;

	for (size_t i = 0; i < p->n; i++)
		sum += (double)p->weight[i] *
		       survival_at(p->survival[i], p->a[visit[i]] + p->b[revisit[i]]);
	return sum;
}

/* The best of all (n!)^2 schedules. */
static double best_schedule(const struct schedule_problem *p)
{
	size_t visit[SMALL], revisit[SMALL];
	double best = 0;

	for (size_t i = 0; i < p->n; i++)
		visit[i] = i;
	do {
		for (size_t i = 0; i < p->n; i++)
			revisit[i] = i;
		do {
			best = fmax(best, schedule_value(p, visit, revisit));
		} while (next_permutation(revisit, p->n));
	} while (next_permutation(visit, p->n));
	return best;
}

static double solve(const struct assign_problem *p, double *ret_bound)
{
	uint32_t page_of[TEXTBOOK];
	double price[TEXTBOOK];

	CHECK_INT(assign_start(p, page_of), 0);
	CHECK_INT(assign_prices(p, page_of, price), 0);
	CHECK_INT(assign_exact(p, SIZE_MAX, page_of, price, ret_bound), 0);
	return assign_total(p, page_of);
}

static void test_nested_is_optimal(void)
{
	struct rng rng;

	rng_init(&rng, 1);
	for (size_t round = 0; round < tap_rounds(300); round++) {
		struct schedule_problem p = {.n = 1 + rng_below(&rng, SMALL)};
		double length[SMALL], bound, nested;
		struct assign_problem assign = {
			.n = p.n, .survival = p.survival, .weight = p.weight, .length = length};

		random_pages(&rng, p.survival, p.weight, p.n);
		random_offsets(&rng, p.a, p.n);
		random_offsets(&rng, p.b, p.n);
		for (size_t j = 0; j < p.n; j++)
			length[j] = p.a[j] + p.b[j];
		nested = solve(&assign, &bound);
		CHECK_NEAR(nested, best_schedule(&p), 1e-9);
		CHECK_NEAR(bound, nested, 1e-9);
	}
}

/*
 * The Hungarian method as textbooks print it: potentials and one row after another, O(n^3), on a
 * matrix of costs with one row and column to spare.
 */
struct hungarian {
	const struct assign_problem *problem;
	double u[TEXTBOOK + 1], v[TEXTBOOK + 1], least[TEXTBOOK + 1];
	size_t match[TEXTBOOK + 1], way[TEXTBOOK + 1];
	bool used[TEXTBOOK + 1];
};

/* Reaches one more column from column j0 and returns it. */
static size_t reach(struct hungarian *h, size_t j0)
{
	size_t n = h->problem->n, row = h->match[j0], nearest = 0;
	double delta = INFINITY;

	h->used[j0] = true;
	for (size_t j = 1; j <= n; j++) {
		double cost;

		if (h->used[j])
			continue;
		cost = -assign_value(h->problem, (uint32_t)row - 1, j - 1) - h->u[row] - h->v[j];
		if (cost < h->least[j]) {
			h->least[j] = cost;
			h->way[j] = j0;
		}
		if (h->least[j] < delta) {
			delta = h->least[j];
			nearest = j;
		}
	}
	for (size_t j = 0; j <= n; j++) {
		if (h->used[j]) {
			h->u[h->match[j]] += delta;
			h->v[j] -= delta;
		} else {
			h->least[j] -= delta;
		}
	}
	return nearest;
}

static double textbook(const struct assign_problem *p)
{
	struct hungarian h = {.problem = p};
	double total = 0;

	for (size_t row = 1; row <= p->n; row++) {
		size_t j = 0;

		for (size_t k = 0; k <= p->n; k++) {
			h.least[k] = INFINITY;
			h.used[k] = false;
		}
		h.match[0] = row;
		do
			j = reach(&h, j);
		while (h.match[j] != 0);
		for (; j; j = h.way[j])
			h.match[j] = h.match[h.way[j]];
	}
	for (size_t j = 1; j <= p->n; j++)
		total += assign_value(p, (uint32_t)h.match[j] - 1, j - 1);
	return total;
}

static void test_exact_against_textbook(void)
{
	struct survival survival[TEXTBOOK];
	float weight[TEXTBOOK];
	double length[TEXTBOOK], price[TEXTBOOK], bound;
	struct rng rng;

	rng_init(&rng, 2);
	for (size_t round = 0; round < tap_rounds(400); round++) {
		struct assign_problem p = {.n = 1 + rng_below(&rng, TEXTBOOK),
			.survival = survival,
			.weight = weight,
			.length = length};
		double best;

		random_pages(&rng, survival, weight, p.n);
		random_offsets(&rng, length, p.n);
		best = textbook(&p);
		CHECK_NEAR(solve(&p, &bound), best, 1e-9);
		CHECK_NEAR(bound, best, 1e-8);

		/* any prices at all bound it from above */
		for (size_t j = 0; j < p.n; j++)
			price[j] = rng_double(&rng) - 0.3;
		CHECK_INT(assign_bound(&p, price, &bound), 0);
		CHECK(bound >= best - 1e-12);
	}
}

/* Published optima: PAPERS.md and SOLAR section 6 for the sets. */
static void test_published_optima(void)
{
	static const struct {
		const char *label;
		double delay, want;
		int family;
	} rows[] = {
		{"SOLAR skewed", 1, 731.559, 0},
		{"SOLAR smooth", 1, 536.209, 1},
		{"zipf 1.2", 1, 592.169, 2},
		{"zipf 1.2, delay 5", 5, 243.676, 2},
	};
	enum { N = 1000 };
	struct survival *s = calloc(N, sizeof *s);

	for (size_t r = 0; s && r < ARRAY_LEN(rows); r++) {
		struct plan_limit exact, fast;

		tap_case("optimum: %s", rows[r].label);
		for (int i = 0; i < N; i++) {
			double skewed = i ? s[i - 1].rate / ((i - 1) % 9 < 3 ? 1.06 : 1.001) : 1;
			double rates[] = {skewed, log(1 / 0.7) / (i + 1), pow(i + 1, -1.2)};

			s[i] = survival_poisson(rates[rows[r].family]);
		}
		CHECK_INT(plan_limit(s, NULL, N, rows[r].delay, false, &exact), 0);
		CHECK_NEAR(exact.reached, rows[r].want, 5e-4);
		CHECK_NEAR(exact.bound, exact.reached, 1e-6);
		CHECK_INT(plan_limit(s, NULL, N, rows[r].delay, true, &fast), 0);
		CHECK(fast.bound >= exact.bound - 1e-9);
		CHECK(fast.bound - fast.reached <= 2e-4 * fast.reached);
	}
	free(s);
}

/* Gaps of the fast solution where no exact one is made: 0.02 % and 0.1 % are what we promise. */
static void test_gap(void)
{
	static const struct {
		const char *label;
		double delay, sigma, gap; /* sigma 0: zipf 1.2 */
	} rows[] = {
		{"zipf 1.2", 1, 0, 2e-4},
		{"zipf 1.2, delay 5", 5, 0, 2e-4},
		{"lognormal", 0.1, 2, 1e-3},
		{"lognormal, delay 1", 1, 2, 1e-3},
		{"lognormal, narrow", 1, 0.5, 1e-3},
	};
	enum { N = 20000 };
	struct survival *s = calloc(N, sizeof *s);
	struct rng rng;

	rng_init(&rng, 3);
	for (size_t r = 0; s && r < tap_rounds(ARRAY_LEN(rows)); r++) {
		struct plan_limit limit;

		tap_case("gap: %s", rows[r].label);
		for (int i = 0; i < N; i++)
			s[i] = survival_poisson(rows[r].sigma > 0
							? exp(rows[r].sigma * rng_normal(&rng) - 8)
							: pow(i + 1, -1.2));
		CHECK_INT(plan_limit(s, NULL, N, rows[r].delay, true, &limit), 0);
		CHECK(limit.bound >= limit.reached);
		CHECK(limit.bound - limit.reached <= rows[r].gap * limit.reached);
		tap_note("gap %.5f %%", 100 * (limit.bound / limit.reached - 1));
	}
	free(s);
}

static void test_extremes(void)
{
	static const struct {
		const char *label;
		double rate[3];
		double want; /* on the intervals 0, 2, 4 */
	} rows[] = {
		{"never change", {0, 0, 0}, 3}, {"always change", {1e300, 1e300, 1e300}, 1},
		{"one of each", {1e300, 0, 1e-300}, 3},
		{"equal", {0.5, 0.5, 0.5}, 1.5032147244080551}, /* 1 + e^-1 + e^-2 */
	};

	for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
		struct survival s[3];
		struct plan_limit limit;

		tap_case("extremes: %s", rows[r].label);
		for (int i = 0; i < 3; i++)
			s[i] = survival_poisson(rows[r].rate[i]);
		CHECK_INT(plan_limit(s, NULL, 3, 1, false, &limit), 0);
		CHECK_NEAR(limit.reached, rows[r].want, 1e-12);
		CHECK_NEAR(limit.bound, rows[r].want, 1e-9);
		CHECK_INT(plan_limit(s, NULL, 0, 1, false, &limit), 0);
		CHECK_NEAR(limit.bound, 0, 0);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_nested_is_optimal);
	TAP_RUN(test_exact_against_textbook);
	test_published_optima();
	test_gap();
	test_extremes();
	return tap_done();
}
