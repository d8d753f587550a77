/* An assignment with its prices and bound, as good as is wanted: the steps of assign.h together. */
#ifndef PLAN_ASSIGN_SOLVE_H
#define PLAN_ASSIGN_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/assign.h"

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
