/* Depths of the classes of a tree, and the class that a page has at each. */
#ifndef PLAN_RATE_TREE_H
#define PLAN_RATE_TREE_H

#include <stdbool.h>

#include "plan/rate_grid.h"

struct rate_levels {
	uint32_t *depths; /* by class; that of the root is 0 */
	uint32_t deepest;
};

/* 0 or ERR_NOMEM; rate_levels_release is safe after both. */
int rate_levels_init(struct rate_levels *l, const struct rate_tree *tree) SP_MUST_CHECK;
void rate_levels_release(struct rate_levels *l);

/* The class of that depth which the page is in or below; false when its own is not as deep. */
bool rate_levels_find(const struct rate_levels *l, const struct rate_tree *tree, size_t page,
	uint32_t depth, uint32_t *ret_class);

/*
 * A probability below this is none, or this: products of two of them and a rate are still normal
 * numbers. With others processors take a hundred times as long.
 */
#define RATE_SMALLEST 1e-100

/* By page, each row up to a factor; the caller frees them. NULL: no memory. */
struct rate_row *rate_tree_likelihoods(const struct rate_tree *tree) SP_MUST_CHECK;

#endif
