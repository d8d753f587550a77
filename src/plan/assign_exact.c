/*
 * The optimum of the assignment problem, with proof: shortest augmenting paths (Hungarian method
 * in the form of Jonker and Volgenant) on values that are computed, not stored, so memory is O(n).
 *
 * With prices q and u_i = max_j (v_i(L_j) - q_j) the reduced cost u_i + q_j - v_i(L_j) is never
 * negative. Invariants after each augmentation:
 *   (1) reduced costs are >= 0 for all pages and intervals;
 *   (2) they are 0 (up to TIGHT) for every page that has an interval.
 * When every page has one, sum u + sum q equals the total, and no assignment can exceed it.
 *
 * Started from assign_start and assign_prices nearly all pages are in place already: each of the
 * others costs one search, whose tree is small because the prices are nearly right.
 */
#include "plan/assign.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define NONE UINT32_MAX

enum {
	ANCHOR = 64,
	BIDS_MAX = 40,
};

static const double TIGHT = 1e-12; /* reduced costs below it count as 0; values are at most w */

struct solver {
	const struct assign_problem *p;
	uint32_t *page_of; /* interval -> page or NONE */
	uint32_t *interval_of;
	double *price; /* by interval */
	double *u;     /* by page */
	double *row;   /* values of the page being scanned */
	/* one search */
	double *dist;     /* by interval: shortest distance from the free page */
	uint32_t *parent; /* by interval: the page it was reached from */
	uint32_t *todo;   /* intervals: [0, done) settled, the others not */
	size_t rows_left;
	bool even; /* lengths are evenly spaced, by even_step */
	double even_step;
};

static void solver_release(struct solver *s)
{
	free(s->page_of);
	free(s->interval_of);
	free(s->u);
	free(s->row);
	free(s->dist);
	free(s->parent);
	free(s->todo);
}

static bool evenly_spaced(const struct assign_problem *p, double step)
{
	for (size_t j = 0; j < p->n; j++)
		if (fabs(p->length[j] - p->length[0] - step * (double)j) > 1e-15 * p->length[j])
			return false;
	return true;
}

static int solver_init(
	struct solver *s, const struct assign_problem *p, double *price, size_t max_rows)
{
	size_t n = p->n;

	*s = (struct solver){.p = p, .price = price, .rows_left = max_rows};
	s->even_step = n > 1 ? (p->length[n - 1] - p->length[0]) / (double)(n - 1) : 0;
	s->even = evenly_spaced(p, s->even_step);
	s->page_of = malloc(n * sizeof *s->page_of);
	s->interval_of = malloc(n * sizeof *s->interval_of);
	s->u = malloc(n * sizeof *s->u);
	s->row = malloc(n * sizeof *s->row);
	s->dist = malloc(n * sizeof *s->dist);
	s->parent = calloc(n, sizeof *s->parent);
	s->todo = calloc(n, sizeof *s->todo);
	if (s->page_of && s->interval_of && s->u && s->row && s->dist && s->parent && s->todo)
		return 0;
	solver_release(s);
	return ERR_NOMEM;
}

/*
 * Values of one page on all intervals. On evenly spaced ones those of a Poisson page are a
 * geometric series, far cheaper than exponentials; anchors keep its rounding below TIGHT.
 */
static void fill_row(struct solver *s, uint32_t page)
{
	const struct assign_problem *p = s->p;
	double ratio;

	if (!s->even || p->survival[page].shape != 0) {
		for (size_t j = 0; j < p->n; j++)
			s->row[j] = assign_value(p, page, j);
		return;
	}
	ratio = survival_at(p->survival[page], s->even_step);
	for (size_t j = 0; j < p->n; j++)
		s->row[j] = j % ANCHOR ? s->row[j - 1] * ratio : assign_value(p, page, j);
}

/* Gives every page its u; pages whose interval is not their best choice become free. */
static void settle(struct solver *s, const uint32_t *page_of)
{
	size_t n = s->p->n;

	for (size_t j = 0; j < n; j++) {
		uint32_t page = page_of[j];
		double best = -INFINITY;

		fill_row(s, page);
		for (size_t k = 0; k < n; k++)
			if (s->row[k] - s->price[k] > best)
				best = s->row[k] - s->price[k];
		s->u[page] = best;
		s->page_of[j] = NONE;
		s->interval_of[page] = NONE;
		if (best + s->price[j] - s->row[j] <= TIGHT) {
			s->page_of[j] = page;
			s->interval_of[page] = (uint32_t)j;
		}
	}
}

/*
 * Lets a free page outbid the others for the interval it likes best, by what makes it indifferent
 * to its second choice. Returns the page it drives out, or NONE.
 */
static uint32_t outbid(struct solver *s, uint32_t page)
{
	double first = -INFINITY, second = -INFINITY;
	size_t best = 0;
	uint32_t loser;

	fill_row(s, page);
	for (size_t j = 0; j < s->p->n; j++) {
		double offer = s->row[j] - s->price[j];

		if (offer > first) {
			second = first;
			first = offer;
			best = j;
		} else if (offer > second) {
			second = offer;
		}
	}
	if (second > -INFINITY) {
		s->price[best] += first - second;
		first = second;
	}
	s->u[page] = first;
	loser = s->page_of[best];
	s->page_of[best] = page;
	s->interval_of[page] = (uint32_t)best;
	if (loser != NONE)
		s->interval_of[loser] = NONE;
	return loser;
}

/* Cheap placements first; what still fights after BIDS_MAX bids is left to place. */
static void bid(struct solver *s, uint32_t page)
{
	for (int i = 0; i < BIDS_MAX && page != NONE && s->rows_left > 0; i++) {
		s->rows_left--;
		page = outbid(s, page);
	}
}

/* Moves the nearest unsettled interval to todo[done] and returns it. */
static uint32_t nearest(struct solver *s, size_t done)
{
	size_t best = done;
	uint32_t j;

	for (size_t k = done + 1; k < s->p->n; k++)
		if (s->dist[s->todo[k]] < s->dist[s->todo[best]])
			best = k;
	j = s->todo[best];
	s->todo[best] = s->todo[done];
	s->todo[done] = j;
	return j;
}

/* Shortens the distances of unsettled intervals by way of a page that is reached at base. */
static void relax(struct solver *s, uint32_t page, double base, size_t done)
{
	fill_row(s, page);
	for (size_t k = done; k < s->p->n; k++) {
		uint32_t j = s->todo[k];
		double cost = s->u[page] + s->price[j] - s->row[j];
		double d = base + (cost > 0 ? cost : 0);

		if (d < s->dist[j]) {
			s->dist[j] = d;
			s->parent[j] = page;
		}
	}
}

/* Keeps (1) and (2): prices of settled intervals rise, their pages' u fall, by what was left. */
static void reprice(struct solver *s, uint32_t start, size_t done, double reach)
{
	s->u[start] -= reach;
	for (size_t k = 0; k < done; k++) {
		uint32_t j = s->todo[k];

		s->price[j] += reach - s->dist[j];
		s->u[s->page_of[j]] -= reach - s->dist[j];
	}
}

static void augment(struct solver *s, uint32_t start, uint32_t interval)
{
	for (;;) {
		uint32_t page = s->parent[interval];
		uint32_t before = s->interval_of[page];

		s->page_of[interval] = page;
		s->interval_of[page] = interval;
		if (page == start)
			return;
		interval = before;
	}
}

/* Finds an interval for a free page by Dijkstra's method over reduced costs. */
static int place(struct solver *s, uint32_t start)
{
	size_t done = 0;
	uint32_t page = start, j;
	double base = 0;

	for (size_t k = 0; k < s->p->n; k++) {
		s->todo[k] = (uint32_t)k;
		s->dist[k] = INFINITY;
	}
	for (;;) {
		if (s->rows_left == 0)
			return ERR_LIMIT;
		s->rows_left--;
		relax(s, page, base, done);
		j = nearest(s, done);
		base = s->dist[j];
		if (s->page_of[j] == NONE)
			break;
		page = s->page_of[j];
		done++;
	}
	reprice(s, start, done, base);
	augment(s, start, j);
	return 0;
}

static double dual(const struct solver *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->p->n; i++)
		sum += s->u[i] + s->price[i];
	return sum;
}

int assign_exact(const struct assign_problem *p, size_t max_rows, uint32_t *page_of, double *price,
	double *ret_bound)
{
	struct solver s;
	int rc;

	if (p->n == 0) {
		*ret_bound = 0;
		return 0;
	}
	rc = solver_init(&s, p, price, max_rows);
	if (rc)
		return rc;
	settle(&s, page_of);
	for (uint32_t i = 0; i < p->n; i++)
		if (s.interval_of[i] == NONE)
			bid(&s, i);
	for (uint32_t i = 0; !rc && i < p->n; i++)
		if (s.interval_of[i] == NONE)
			rc = place(&s, i);
	*ret_bound = dual(&s);
	if (!rc)
		memcpy(page_of, s.page_of, p->n * sizeof *page_of);
	solver_release(&s);
	return rc;
}
