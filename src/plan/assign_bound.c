/*
 * A certified upper bound on the assignment, by weak duality: for any prices q,
 *
 *	sum_i v_i(L_sigma(i))  <=  sum_j q_j + sum_i max_j (v_i(L_j) - q_j)   for every sigma.
 *
 * Three convexities make the right side cheap without making it false:
 *   1. Prices are made linear between a few knots. v_i is convex in L, so v_i - q is convex
 *      between knots and its maximum over all intervals is at a knot.
 *   2. u(rate) = max_j (S(rate, L_j) - q_j) is a maximum of functions convex in the rate, so
 *      a chord between two rates lies above it: it is evaluated at cell edges only.
 *   3. u falls with the rate, so pages hotter than the last edge take the value there.
 * What knots and chords add is of second order in their spacing, under 1e-5 of the total.
 */
#include "plan/assign.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/err.h"
#include "plan/assign_knots.h"

enum {
	KNOTS_DENSE = 1024,      /* the shortest intervals, where prices bend most, are all knots */
	KNOTS_SPARSE = 256,      /* the same when every page needs a scan of its own */
	SCANS_DENSE_MAX = 20000, /* pages up to which such scans may use all the knots */
};

static const double CELL_WIDTH = 0.01; /* of the logarithm of the rate */
static const double COLD = 1e-6;       /* colder than this over the longest interval: one cell */
static const double HOT = 64;          /* hotter than this over the shortest: S is 0 there */

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
static double price_between(const double *length, const double *price, size_t a, size_t b)
{
	double span = length[b] - length[a], sum = price[b];

	for (size_t j = a + 1; j < b; j++) {
		double x = span > 0 ? (length[j] - length[a]) / span : 0;

		sum += price[a] + x * (price[b] - price[a]);
	}
	return sum;
}

static int knots_init(
	struct knots *k, const struct assign_problem *p, const double *price, size_t dense)
{
	size_t max = assign_knot_count(p->n, dense);

	*k = (struct knots){
		.length = malloc(max * sizeof(double)), .price = malloc(max * sizeof(double))};
	if (!k->length || !k->price)
		return ERR_NOMEM;
	for (size_t j = 0, last = 0; j < p->n; last = j, j = assign_next_knot(p->n, dense, j)) {
		k->length[k->n] = p->length[j];
		k->price[k->n++] = price[j];
		k->price_sum += j ? price_between(p->length, price, last, j) : price[0];
	}
	return 0;
}

/* max_j (w S(L_j) - q_j) */
static double best_offer(const struct knots *k, struct survival s, double weight)
{
	double best = -INFINITY;

	for (size_t j = 0; j < k->n; j++) {
		double offer = weight * survival_at(s, k->length[j]) - k->price[j];

		if (offer > best)
			best = offer;
	}
	return best;
}

/* All pages of one weight, Poisson: chords over cells of the rate's logarithm. */
struct cells {
	size_t n;
	double first; /* logarithm of the lower edge of cell 1; cell 0 reaches down to rate 0 */
	size_t *pages;
	double *rates; /* their sum, which is all a chord needs */
};

static double cell_edge(const struct cells *c, size_t i)
{
	return i == 0 ? 0 : exp(c->first + CELL_WIDTH * (double)(i - 1));
}

static size_t cell_of(const struct cells *c, double rate)
{
	double x = rate > 0 ? (log(rate) - c->first) / CELL_WIDTH : -1;
	size_t i;

	if (x < 0)
		return 0;
	i = x < (double)c->n ? (size_t)x + 1 : c->n - 1;
	return i < c->n ? i : c->n - 1;
}

static double cell_bound(const struct cells *c, const struct knots *k, double weight, size_t i)
{
	double a = cell_edge(c, i), b = cell_edge(c, i + 1);
	double ua = best_offer(k, survival_poisson(a), weight), ub;

	if (i + 1 == c->n) /* hotter than everything that matters: u only falls from here */
		return (double)c->pages[i] * ua;
	ub = best_offer(k, survival_poisson(b), weight);
	return (double)c->pages[i] * ua +
	       (c->rates[i] - (double)c->pages[i] * a) / (b - a) * (ub - ua);
}

static int cells_init(struct cells *c, const struct assign_problem *p)
{
	double longest = p->length[p->n - 1], shortest = longest;

	for (size_t j = p->n; j-- > 0 && p->length[j] > 0;)
		shortest = p->length[j];
	if (longest == 0)
		longest = shortest = 1;
	c->first = log(COLD / longest);
	c->n = (size_t)((log(HOT / shortest) - c->first) / CELL_WIDTH) + 2;
	c->pages = calloc(c->n, sizeof *c->pages);
	c->rates = calloc(c->n, sizeof *c->rates);
	if (!c->pages || !c->rates)
		return ERR_NOMEM;
	for (size_t i = 0; i < p->n; i++) {
		size_t cell = cell_of(c, p->survival[i].rate);

		c->pages[cell]++;
		c->rates[cell] += p->survival[i].rate;
	}
	return 0;
}

static int bound_by_cells(const struct assign_problem *p, const struct knots *k, double *ret_bound)
{
	struct cells c = {0};
	double sum = k->price_sum;
	int rc = cells_init(&c, p);

	for (size_t i = 0; !rc && i < c.n; i++)
		if (c.pages[i])
			sum += cell_bound(&c, k, assign_weight(p, 0), i);
	if (!rc)
		*ret_bound = sum;
	free(c.pages);
	free(c.rates);
	return rc;
}

static bool uniform(const struct assign_problem *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->survival[i].shape != 0 || (p->weight && p->weight[i] != p->weight[0]))
			return false;
	return true;
}

int assign_bound(const struct assign_problem *p, const double *price, double *ret_bound)
{
	bool same = uniform(p);
	struct knots k;
	int rc;

	if (p->n == 0) {
		*ret_bound = 0;
		return 0;
	}
	rc = knots_init(&k, p, price, same || p->n <= SCANS_DENSE_MAX ? KNOTS_DENSE : KNOTS_SPARSE);
	if (!rc && same)
		rc = bound_by_cells(p, &k, ret_bound);
	else if (!rc) {
		double sum = k.price_sum;

		for (size_t i = 0; i < p->n; i++)
			sum += best_offer(&k, p->survival[i], assign_weight(p, (uint32_t)i));
		*ret_bound = sum;
	}
	knots_release(&k);
	return rc;
}
