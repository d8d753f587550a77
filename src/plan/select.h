/*
 * The assignment problem with fewer intervals than pages: which pages get one, and which one each.
 * So many revisits are all that a limit leaves, and every interval that there is has a revisit.
 *
 * For any prices q of the intervals no selection can expect more than
 *
 *	sum_j q_j  +  the sum of the largest k of  max_j (v_i(L_j) - q_j),      k intervals,
 *
 * since every page that is taken gains at most its surplus. Good prices make it tight.
 */
#ifndef PLAN_SELECT_H
#define PLAN_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/assign.h"

/* As an assign_problem of n pages of which only the first `slots` lengths exist. */
struct select_problem {
	struct assign_problem assign; /* its lengths, if any, are `slots` many */
	size_t slots;                 /* at most assign.n */
	bool fast;                    /* nothing exact, whatever the size */
};

/*
 * Fills page_of (interval -> page, `slots` entries of the caller's). The optimum where pages differ
 * in their rates only or are few, near it else. ret_value: what is expected; ret_bound: what
 * nobody can exceed; either may be NULL, and a bound that is not wanted is not computed. 0 or
 * ERR_NOMEM.
 */
int select_pages(
	const struct select_problem *p, uint32_t *page_of, double *ret_value, double *ret_bound);

#endif
