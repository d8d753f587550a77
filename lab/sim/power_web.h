/*
 * A web whose indegrees follow a power law: the copying model (Kumar et al., 2000). Most links of a
 * page go where a random link made so far goes, so pages that are linked to get more; the others go
 * to random pages. Every page but the first is linked from an earlier one, so that a crawl which
 * begins at page 0 can find all. Pages are in runs on hosts whose sizes follow a power law, too,
 * and half of the random links stay on their host.
 */
#ifndef SIM_POWER_WEB_H
#define SIM_POWER_WEB_H

#include "base/api.h"
#include "base/lists.h"
#include "base/rng.h"
#include "plan/rank_graph.h"

struct power_web_params {
	size_t pages;
	double links;    /* of a page, on average; at least 2 */
	double copied;   /* share of links that are copied, 0 to 1 */
	uint32_t hosts;  /* 1 to pages */
	struct rng *rng; /* borrowed */
};

/* Fields may be read. Zero-initialise. */
struct power_web {
	struct rank_edges edges; /* as they were made */
	struct u32_vec host;     /* by page */
};

/* 0 or ERR_NOMEM; release in any case. */
int power_web_init(struct power_web *w, const struct power_web_params *p) SP_MUST_CHECK;
void power_web_release(struct power_web *w);

#endif
