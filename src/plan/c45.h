/*
 * C4.5 (J. R. Quinlan, C4.5: Programs for Machine Learning, 1993): a decision tree by gain ratio.
 * Words part a node into a branch for each value, numbers at a threshold. A page whose value is
 * missing goes down all branches, with a share each (in a prediction down 256 at most). Pruned by
 * pessimistic error estimates at confidence 0.25.
 */
#ifndef PLAN_C45_H
#define PLAN_C45_H

#include <stdint.h>

#include "base/api.h"
#include "base/vec.h"
#include "plan/rate_features.h"

enum {
	C45_LEAF = -1,
	C45_DEPTH_MAX = 48,  /* of a node below the root */
	C45_PATHS_MAX = 256, /* down the tree for one page with missing values */
};

struct c45_node {
	int feature;           /* or C45_LEAF */
	float threshold;       /* of a number: up to it the first branch, above it the second */
	uint32_t first, count; /* its branches */
	uint32_t label;        /* the class with most weight */
	float weight;          /* pages that came here */
};

struct c45_branch {
	uint32_t value; /* of a word; ascending within a node */
	uint32_t node;
};

VEC_DECLARE(c45_nodes, struct c45_node);
VEC_DECLARE(c45_branches, struct c45_branch);
VEC_DECLARE(c45_floats, float);

/* Node 0 is the root. */
struct c45 {
	size_t classes;
	struct c45_nodes nodes;
	struct c45_branches branches;
	struct c45_floats weights; /* by node and class */
};

/* Borrows the sample during the call. 0 or ERR_NOMEM; c45_release is safe after both. */
int c45_train(struct c45 *t, const struct sample *s) SP_MUST_CHECK;
void c45_release(struct c45 *t);

/* The likeliest class; the smaller number on a tie. The tree must have been trained. */
size_t c45_predict(const struct c45 *t, const struct features *f);

#endif
