/*
 * Groups: a page is worth its weight only together with its requisites. The value of a schedule is
 *
 *	sum over groups of w_g prod_{i in g} S_i(L_i)
 *	+ sum over pages in no group of w_i S_i(L_i).
 *
 * No longer a linear assignment, but one for given lengths of the others: page i then has the
 * weight w_g prod_{k != i} S_k(L_k), summed over its groups. That is repeated, and pairs exchanged.
 *
 * Bound: by the inequality of the means prod S_i <= sum theta_i S_i^(1/theta_i) for any shares
 * theta that add up to 1, and S^(1/theta) is a survival function of the same family. So the optimum
 * of a linear assignment bounds the groups; with theta in proportion to -log S_i(L_i) of a solution
 * both sides are equal there.
 */
#ifndef PLAN_GROUP_H
#define PLAN_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lists.h"
#include "plan/assign.h"

/* A requisite of more pages than this stands for itself. */
enum { GROUP_SHARED_MAX = 16 };

/* So few pages are searched thoroughly also where time matters: in about a millisecond. */
enum { GROUP_FEW = 24 };

/* One member of a group; groups are lists of them. Page numbers are the owner's. */
struct group_edge {
	uint32_t page, requisite;
};

VEC_DECLARE(group_edges, struct group_edge);

/*
 * Groups over the indices of an assignment problem: members of group g are member[from[g]] up to
 * from[g + 1], the page first; pages in no group have none. weight: of the whole group.
 */
struct groups {
	size_t count;
	size_t *from;
	uint32_t *member;
	double *weight;
	bool *grouped;   /* by index: it counts through its groups only */
	size_t *in_from; /* groups of index i: in[in_from[i]] up to in_from[i + 1] */
	uint32_t *in;
};

/*
 * index_of[page]: where a page is in the problem, UINT32_MAX for one that is not; pages many. Edges
 * may be there twice. weight and factor (may be NULL: all 1) are by index: a group has the weight
 * of its page times the factors of its members. Release in any case. 0 or ERR_NOMEM.
 */
struct groups_params {
	const struct group_edge *edges;
	size_t edge_count;
	const uint32_t *index_of;
	size_t pages;
	const float *weight;
	const double *factor;
	size_t n; /* of the problem */
};

int groups_init(struct groups *g, const struct groups_params *params);
void groups_release(struct groups *g);

/* What an assignment (interval -> index) is worth; NAN without memory. O(n + members). */
double groups_value(
	const struct groups *g, const struct assign_problem *p, const uint32_t *page_of);

/*
 * What each index adds to its groups for each unit of its own survival, of n: for given survivals
 * of all; those in no group have their weight (NULL: 1).
 */
void groups_marginals(const struct groups *g, size_t n, const float *weight, const double *alive,
	double *marginal);

/*
 * Improves an assignment, which may be any; of some hundred pages in some seconds. Only the first
 * `open` intervals get other pages; those behind them may be of any length. 0 or ERR_NOMEM.
 */
int groups_solve(const struct groups *g, const struct assign_problem *p, size_t open, bool fast,
	uint32_t *page_of);

/*
 * The same for the barrier, where all pages grow older meanwhile: some hundredths of a millisecond
 * for each page.
 */
int groups_improve(const struct groups *g, const struct assign_problem *p, uint32_t *page_of);

/* What no assignment can exceed, from one that is good. 0 or ERR_NOMEM. */
int groups_bound(const struct groups *g, const struct assign_problem *p, bool fast,
	const uint32_t *page_of, double *ret_bound);

#endif
