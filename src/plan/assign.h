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

#include <stdbool.h>
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

/*
 * The parts of assign_start; n > 0. They follow each other and share one piece of scratch memory,
 * because an allocator that keeps what is given back would add up what each of them takes.
 */

/* Scratch memory: so many bytes for each page and one more, aligned for a double. */
enum { ASSIGN_SCRATCH = 32 };

/* Whether pages differ in their rates only. */
bool assign_uniform(const struct assign_problem *p);

/* The largest weight, which is the scale of all values. */
double assign_scale(const struct assign_problem *p);

/* Two chains in order of heat: for uniform problems. */
void assign_chains(const struct assign_problem *p, void *scratch, uint32_t *page_of);

/* Every page where prices would send it: for the others. 0 or ERR_NOMEM. */
int assign_guided(const struct assign_problem *p, void *scratch, uint32_t *page_of);

/* Exchanges pairs of pages as long as that gains much. */
void assign_exchange(const struct assign_problem *p, void *scratch, uint32_t *page_of);

/* An assignment with its prices and bound, as good as is wanted: the steps of assign.h together. */

/* Sums of the same values in another order may differ by this share. */
#define ASSIGN_ROUNDING 1e-13

enum assign_effort {
	ASSIGN_PAGES = 0,  /* who goes where, no more */
	ASSIGN_PRICES = 1, /* prices, too */
	ASSIGN_BOUND = 2,  /* prices and bound */
};

/* Release with assign_solution_release; safe on a zeroed struct. */
struct assign_solution {
	uint32_t *page_of; /* interval -> index of the page */
	double *price;     /* by interval; NULL unless wanted or made for the exact solution */
	double bound;      /* 0 unless wanted or made for the exact solution */
};

/*
 * Exact for up to PLAN_EXACT_MAX pages unless fast. 0 or ERR_NOMEM: then there is nothing to
 * release.
 */
int assign_solve(const struct assign_problem *p, bool fast, enum assign_effort effort,
	struct assign_solution *ret);

/* The pages alone, and exactly only where the loss could be more than a share of the whole. */
int assign_solve_within(
	const struct assign_problem *p, double loss, bool fast, struct assign_solution *ret);

void assign_solution_release(struct assign_solution *s);

#endif
