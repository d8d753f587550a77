/*
 * The planning problem as an assignment problem: n pages onto n visit-revisit intervals so that
 * sum w_i S_i(L_j) is as large as possible. docs/planning.md proves that the best schedule is
 * nested, so that this is the whole problem and not a relaxation of it.
 *
 *   assign_start   near-optimal in O(n log n): two chains, then exchanges
 *   assign_bound   a certified upper bound from prices, O(n) after sorting
 *   assign_exact   the optimum with its dual as certificate, for some thousand pages
 */
#ifndef PLAN_ASSIGN_H
#define PLAN_ASSIGN_H

#include <stddef.h>
#include <stdint.h>

#include "plan/survival.h"

/* Borrows everything. Lengths ascend and are >= 0; weights may be NULL for all ones. */
struct assign_problem {
	size_t n;
	const struct survival *survival; /* by page index 0..n-1 */
	const float *weight;
	const double *length; /* by interval index 0..n-1 */
};

static inline double assign_weight(const struct assign_problem *p, uint32_t page)
{
	return p->weight ? (double)p->weight[page] : 1.0;
}

static inline double assign_value(const struct assign_problem *p, uint32_t page, size_t interval)
{
	return assign_weight(p, page) * survival_at(p->survival[page], p->length[interval]);
}

/* sum of w_i S_i over an assignment given as interval -> page. */
double assign_total(const struct assign_problem *p, const uint32_t *page_of);

/*
 * Fills page_of (interval -> page, n entries of the caller's) with a good assignment.
 * Returns 0 or ERR_NOMEM.
 */
int assign_start(const struct assign_problem *p, uint32_t *page_of);

/*
 * Fills price (n entries of the caller's), one per interval, from an assignment: the further from
 * optimal it is, the weaker the bound they give. Returns 0 or ERR_NOMEM.
 */
int assign_prices(const struct assign_problem *p, const uint32_t *page_of, double *price);

/*
 * An upper bound on every assignment: weak duality with prices that are linear between a few
 * of the given ones. Returns 0 or ERR_NOMEM.
 */
int assign_bound(const struct assign_problem *p, const double *price, double *ret_bound);

/*
 * Improves page_of to the optimum by shortest augmenting paths from the given prices, and price
 * to an optimal dual. *ret_bound is the value of that dual, which certifies the optimum up to
 * rounding. Scans at most max_rows rows of n values; when that is not enough, page_of is left
 * as good as it was, *ret_bound is still a valid bound and ERR_LIMIT is returned.
 */
int assign_exact(const struct assign_problem *p, size_t max_rows, uint32_t *page_of, double *price,
	double *ret_bound);

#endif
