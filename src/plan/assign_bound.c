/*
 * A certified upper bound on the assignment, by weak duality: for any prices q,
 *
 *	sum_i v_i(L_sigma(i))  <=  sum_j q_j + sum_i max_j (v_i(L_j) - q_j)   for every sigma.
 *
 * With many intervals the prices are made linear between a few knots. v_i is convex in L, so
 * v_i - q is convex between knots and its maximum over all intervals is at a knot. What that adds
 * to the sum of prices is of second order in the spacing of the knots, under 1e-5 of the total.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "plan/assign.h"
#include "plan/assign_knots.h"
#include "plan/assign_menu.h"
#include "plan/assign_steps.h"

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
