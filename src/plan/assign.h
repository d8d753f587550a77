/*
 * The planning problem as an assignment problem: n pages onto n visit-revisit intervals so that
 * sum w_i S_i(L_j) is as large as possible. docs/planning.md proves that the best schedule is
 * nested, so that this is the whole problem and not a relaxation of it.
 *
 *   assign_start   near-optimal in O(n log n)
 *   assign_prices  a near-optimal dual, one price per interval
 *   assign_bound   the upper bound that any prices certify, O(n log n)
 *   assign_exact   the optimum with its dual as certificate, for some thousand pages
 */
#ifndef PLAN_ASSIGN_H
#define PLAN_ASSIGN_H

#include <stddef.h>
#include <stdint.h>

#include "plan/survival.h"

/*
 * Borrows everything. Lengths ascend (equal ones are fine) and are >= 0; NULL when the j-th is
 * j steps long, which saves eight bytes a page. Weights are >= 0 and may be NULL for all ones; only
 * their proportions matter, not their scale.
 */
struct assign_problem {
	size_t n;
	const struct survival *survival; /* by page index 0..n-1 */
	const float *weight;
	const double *length; /* by interval index 0..n-1, or NULL */
	double step;          /* counts when length is NULL */
};

static inline double assign_length(const struct assign_problem *p, size_t interval)
{
	return p->length ? p->length[interval] : p->step * (double)interval;
}

static inline double assign_weight(const struct assign_problem *p, uint32_t page)
{
	return p->weight ? (double)p->weight[page] : 1.0;
}

static inline double assign_value(const struct assign_problem *p, uint32_t page, size_t interval)
{
	return assign_weight(p, page) * survival_at(p->survival[page], assign_length(p, interval));
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
 * An upper bound on every assignment, by weak duality. Any prices give a valid one, good prices a
 * tight one. Returns 0 or ERR_NOMEM.
 */
int assign_bound(const struct assign_problem *p, const double *price, double *ret_bound);

/*
 * Improves page_of to the optimum by shortest augmenting paths from the given prices, and price
 * to an optimal dual. *ret_bound is the bound that this dual certifies: the optimum, up to
 * rounding. Computes about max_rows rows of n values at most; when that is not enough, page_of is
 * as it was, *ret_bound is still a valid bound and ERR_LIMIT is returned. Else 0 or ERR_NOMEM.
 */
int assign_exact(const struct assign_problem *p, size_t max_rows, uint32_t *page_of, double *price,
	double *ret_bound);

#endif
