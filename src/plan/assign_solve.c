#include "plan/assign_solve.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "plan/assign.h"
#include "plan/assign_knots.h"
#include "plan/assign_menu.h"
#include "plan/assign_steps.h"
#include "plan/assign_strata.h"
#include "plan/plan.h"

static const struct assign_spacing LEVELS[] = {
	{32, 16}, {64, 32}, {128, 64}, {256, 128}, {512, 256}};

enum {
	LEVELS_N = sizeof LEVELS / sizeof LEVELS[0],
	LEVELS_MANY = 3, /* what is enough for a bound */
	MANY_MIN =
		20000, /* pages from which on that must do; below, the exact solver gains by more */
	SAMPLES = 4,   /* for each knot; 1 where neighbours are alike */
};

static const double PRICES_VALUES_MAX = 3e7; /* for each level */

static void from_neighbours(const struct assign_problem *p, const uint32_t *page_of, double *price)
{
	price[p->n - 1] = 0;
	for (size_t j = p->n - 1; j-- > 0;) {
		uint32_t here = page_of[j], next = page_of[j + 1];
		double lose = assign_value(p, here, j) - assign_value(p, here, j + 1);
		double gain = assign_value(p, next, j) - assign_value(p, next, j + 1);

		price[j] = price[j + 1] + (lose + gain) / 2;
	}
}

/* Shifts the prices between two knots so that they meet those of the knots. */
static void spread(const struct strata *s, double *price)
{
	double rise = s->price[0] - price[0], next;

	for (size_t k = 0; k + 1 < s->n; k++, rise = next) {
		size_t a = s->knot[k], b = s->knot[k + 1];

		next = s->price[k + 1] - price[b];
		price[a] = s->price[k];
		for (size_t j = a + 1; j < b; j++)
			price[j] += rise + (next - rise) * (double)(j - a) / (double)(b - a);
	}
	price[s->knot[s->n - 1]] = s->price[s->n - 1];
}

static int price_knots(
	const struct assign_problem *p, const uint32_t *page_of, size_t levels, struct strata *s)
{
	struct strata_params params = {
		.samples = assign_uniform(p) ? 1 : SAMPLES, .max_values = PRICES_VALUES_MAX};
	int rc = 0;

	for (size_t i = 0; !rc && i < levels && s->n < p->n; i++) {
		struct strata coarser = *s;

		params.spacing = LEVELS[i];
		rc = strata_init(s, p, page_of, &params, coarser.n ? &coarser : NULL);
		strata_release(&coarser);
	}
	return rc;
}

static int find_prices(
	const struct assign_problem *p, const uint32_t *page_of, size_t levels, double *price)
{
	struct strata s = {0};
	int rc;

	if (p->n == 0)
		return 0;
	rc = price_knots(p, page_of, levels, &s);
	if (!rc) {
		from_neighbours(p, page_of, price);
		spread(&s, price);
	}
	strata_release(&s);
	return rc;
}

int assign_prices(const struct assign_problem *p, const uint32_t *page_of, double *price)
{
	return find_prices(p, page_of, p->n < MANY_MIN ? LEVELS_N : LEVELS_MANY, price);
}

/* Cheaper: good enough for a bound, not to begin an exact solution from. */
static int assign_prices_for_bound(
	const struct assign_problem *p, const uint32_t *page_of, double *price)
{
	return find_prices(p, page_of, LEVELS_MANY, price);
}

static const double TOLERANCE = 1e-13; /* in units of the largest weight */

/*
 * Effort for all pages together, in values. Good prices need some forty for a page, but where pages
 * are nearly alike, what is best for one of them is nearly best all over the place. So each may
 * take a share of what is left before it is treated with less precision.
 */
static const double VALUES_MAX = 1e8;
static const double SHARE = 1e-3;
static const double PATIENCE_MIN = 64;

static const struct assign_spacing KNOTS = {.dense = 8192, .ratio = 256};

struct knots {
	size_t n;
	double *length, *price;
	double price_sum; /* over all intervals, with the prices between knots interpolated */
};

static void knots_release(struct knots *k)
{
	free(k->length);
	free(k->price);
}

/* Adds the prices of the intervals after a up to b, linear between these two. */
static double price_between(const struct assign_problem *p, const double *price, size_t a, size_t b)
{
	double from = assign_length(p, a), span = assign_length(p, b) - from, sum = price[b];

	for (size_t j = a + 1; j < b; j++) {
		double x = span > 0 ? (assign_length(p, j) - from) / span : 0;

		sum += price[a] + x * (price[b] - price[a]);
	}
	return sum;
}

static int knots_init(struct knots *k, const struct assign_problem *p, const double *price)
{
	size_t max = assign_knot_count(KNOTS, p->n);

	*k = (struct knots){
		.length = malloc(max * sizeof(double)), .price = malloc(max * sizeof(double))};
	if (!k->length || !k->price)
		return ERR_NOMEM;
	for (size_t j = 0, last = 0; j < p->n; last = j, j = assign_next_knot(KNOTS, p->n, j)) {
		k->length[k->n] = assign_length(p, j);
		k->price[k->n++] = price[j];
		k->price_sum += j ? price_between(p, price, last, j) : price[0];
	}
	return 0;
}

/* sum_i max_j (w S(L_j) - q_j), or a little more. */
static double best_offers(
	const struct assign_problem *p, const struct menu *menu, struct menu_memo *memo)
{
	struct menu_page page = {.hint = UINT32_MAX};
	double scale = assign_scale(p), values = VALUES_MAX, sum = 0;

	page.tolerance = fmax(TOLERANCE * scale, DBL_MIN);
	for (uint32_t i = 0; i < p->n; i++) {
		struct menu_offer offer;

		page.survival = p->survival[i];
		page.weight = assign_weight(p, i);
		page.patience = (uint32_t)fmax(values * SHARE, PATIENCE_MIN);
		offer = menu_recall(menu, &page, memo);
		page.hint = offer.interval;
		values -= offer.values;
		sum += offer.limit;
	}
	return sum;
}

int assign_bound(const struct assign_problem *p, const double *price, double *ret_bound)
{
	struct knots k = {0};
	struct menu menu = {0};
	struct menu_memo *memo;
	int rc;

	if (p->n == 0) {
		*ret_bound = 0;
		return 0;
	}
	memo = calloc(1, sizeof *memo);
	rc = memo ? knots_init(&k, p, price) : ERR_NOMEM;
	if (!rc)
		rc = menu_init(&menu, k.length, k.price, k.n);
	if (!rc)
		*ret_bound = k.price_sum + best_offers(p, &menu, memo);
	free(memo);
	menu_release(&menu);
	knots_release(&k);
	return rc;
}

/*
 * Rows an exact solution may scan: some seconds at PLAN_EXACT_MAX pages, far more than instances
 * with equal weights need.
 */
enum { EXACT_ROWS = 200000 };

void assign_solution_release(struct assign_solution *s)
{
	free(s->page_of);
	free(s->price);
	*s = (struct assign_solution){0};
}

int assign_solve(const struct assign_problem *p, bool fast, enum assign_effort effort,
	struct assign_solution *ret)
{
	struct assign_solution s = {.page_of = malloc((p->n ? p->n : 1) * sizeof *s.page_of)};
	bool exact = !fast && p->n <= PLAN_EXACT_MAX, bound = effort == ASSIGN_BOUND;
	int rc = s.page_of ? assign_start(p, s.page_of) : ERR_NOMEM;

	if (!rc && (exact || effort != ASSIGN_PAGES)) {
		s.price = malloc((p->n ? p->n : 1) * sizeof *s.price);
		rc = s.price ? assign_prices(p, s.page_of, s.price) : ERR_NOMEM;
	}
	if (!rc && bound)
		rc = assign_bound(p, s.price, &s.bound);
	if (!rc && exact) {
		double certified;

		rc = assign_exact(p, EXACT_ROWS, s.page_of, s.price, &certified);
		if (rc == ERR_LIMIT)
			rc = 0;
		if (!bound || certified < s.bound)
			s.bound = certified;
	}
	if (rc)
		assign_solution_release(&s);
	else
		*ret = s;
	return rc;
}

int assign_solve_within(
	const struct assign_problem *p, double loss, bool fast, struct assign_solution *ret)
{
	struct assign_solution s = {.page_of = malloc((p->n + 1) * sizeof *s.page_of),
		.price = malloc((p->n + 1) * sizeof *s.price)};
	double total = 0;
	int rc = s.page_of && s.price ? assign_start(p, s.page_of) : ERR_NOMEM;

	if (!rc)
		rc = assign_prices_for_bound(p, s.page_of, s.price);
	if (!rc)
		rc = assign_bound(p, s.price, &s.bound);
	if (!rc)
		total = assign_total(p, s.page_of);
	if (!rc && s.bound <= total * (1 + loss)) {
		*ret = s;
		return 0;
	}
	assign_solution_release(&s);
	return rc ? rc : assign_solve(p, fast, ASSIGN_PAGES, ret);
}
