/*
 * The link graph of a capture: its captured pages, and the links between them. Requisites are parts
 * of pages, no pages of their own; a redirect links to its target. Links of a page to itself are
 * dropped, and several to one page count once.
 */
#ifndef PROOF_LINK_GRAPH_H
#define PROOF_LINK_GRAPH_H

#include "base/api.h"
#include "base/err.h"
#include "base/lists.h"
#include "catalog/catalog.h"
#include "plan/rank_graph.h"
#include "proof/report.h"

/* Fields may be read. Zero-initialise. */
struct link_graph {
	struct u32_vec pages;    /* by number in the graph: that in the report */
	struct rank_graph graph; /* of so many pages */
	double *rank;            /* PageRank; sums to 1 */
};

/* Both are borrowed for the call. 0, ERR_IO for a damaged catalog, ERR_NOMEM; release in any case.
 */
int link_graph_load(struct link_graph *g, const struct report *report, struct catalog *catalog,
	struct err *err) SP_MUST_CHECK;
void link_graph_release(struct link_graph *g);

#endif
