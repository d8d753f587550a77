/*
 * The assignment problem in small. Intervals are gathered around knots; the pages that an
 * assignment puts there are stood for by a few of them. The dual of this flow problem, solved
 * exactly, prices the knots of the whole.
 */
#ifndef PLAN_ASSIGN_STRATA_H
#define PLAN_ASSIGN_STRATA_H

#include <stddef.h>
#include <stdint.h>

#include "plan/assign.h"
#include "plan/assign_knots.h"

struct strata_params {
	struct assign_spacing spacing;
	size_t samples;    /* pages that stand for those around one knot, at most */
	double max_values; /* effort: when it is used up, prices are taken as they are */
};

struct strata {
	size_t n;
	size_t *knot; /* interval index */
	double *length, *price;
};

/*
 * n > 0. coarser: prices to begin with, or NULL. page_of need not be good, but the better it is,
 * the better it tells which pages matter. Returns 0 or ERR_NOMEM; release with strata_release in
 * either case.
 */
int strata_init(struct strata *s, const struct assign_problem *p, const uint32_t *page_of,
	const struct strata_params *params, const struct strata *coarser);

/* The same knots with the prices of another solution, linear between its knots. */
int strata_adopt(struct strata *s, const struct assign_problem *p, struct assign_spacing spacing,
	const struct strata *other);

void strata_release(struct strata *s);

/* The first of the intervals that belong to knot k: those nearer to it than to the others. */
size_t strata_begin(const struct strata *s, size_t k);

#endif
