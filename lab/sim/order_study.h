/*
 * How soon an order of crawling (plan/rank_order.h) finds the pages that matter: the share of the
 * whole PageRank (RankMass) that the first pages of a crawl have together. The crawl is that of one
 * request at a time, from the seeds along links, by the code that crawls run.
 */
#ifndef SIM_ORDER_STUDY_H
#define SIM_ORDER_STUDY_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/lists.h"
#include "base/rng.h"
#include "plan/rank_graph.h"
#include "plan/rank_order.h"

/* All is borrowed. */
struct order_web {
	const struct rank_graph *graph;
	const double *rank;   /* by page; sums to 1 */
	const uint32_t *host; /* by page; NULL: all on one */
	struct u32_vec seeds; /* known at the start */
};

/* Besides the orders of crawls. */
enum order_rival {
	ORDER_RANDOM = RANK_WEIGHTS + 1, /* any page that is known */
	ORDER_ORACLE,                    /* the highest rank of what is known */
	ORDER_IDEAL,                     /* the highest rank of all: no crawl can do better */
	ORDER_RIVALS,
};

/* The name of an order or a rival; NULL past the last. */
const char *order_study_name(unsigned kind);

/*
 * Fills order with the pages in the order of their fetches; *ret_count says how many were reached.
 * Of RANK_SITEMAP all pages are known, and their priority falls with their distance from the seeds,
 * as many sites have it. 0 or ERR_NOMEM.
 */
int order_study_crawl(const struct order_web *web, unsigned kind, struct rng *rng, uint32_t *order,
	size_t *ret_count) SP_MUST_CHECK;

/* The sum of the ranks of the first pages of an order, a share of all pages of the web. */
double order_study_mass(
	const struct order_web *web, const uint32_t *order, size_t count, double share);

#endif
