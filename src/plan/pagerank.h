/*
 * PageRank (Brin and Page, 1998; Tan et al., eq. 9): where a reader is who follows a random link
 * with probability 0.85 and goes to a random page otherwise. From a page without links he goes to a
 * random page, too: eq. 9 as printed loses his rank.
 */
#ifndef PLAN_PAGERANK_H
#define PLAN_PAGERANK_H

#include "base/api.h"
#include "plan/rank_graph.h"

#define RANK_DAMPING 0.85

/* Fills rank[g->n], which sums to 1; the sum of all errors is below 1e-13. 0 or ERR_NOMEM. */
int rank_pagerank(const struct rank_graph *g, double *rank) SP_MUST_CHECK;

/*
 * Improves rank[g->n] until the sum of all errors is below error. What is there is where it starts
 * (a warm restart: the nearer, the fewer steps); all 0 starts evenly. Values must not be negative.
 * *ret_steps, if wanted: passes over all links. 0 or ERR_NOMEM.
 */
int rank_pagerank_improve(
	const struct rank_graph *g, double error, double *rank, unsigned *ret_steps) SP_MUST_CHECK;

#endif
