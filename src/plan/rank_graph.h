/*
 * The link graph of a capture: pages 0 up to n - 1, and which links to which. A page links to
 * another once, however often its text repeats the link.
 */
#ifndef PLAN_RANK_GRAPH_H
#define PLAN_RANK_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/lists.h"
#include "base/slice.h"
#include "base/vec.h"

struct rank_edge {
	uint32_t from, to;
};

VEC_DECLARE(rank_edges, struct rank_edge);

/* Neighbours of page i in one direction: to[from[i]] up to from[i + 1], ascending. */
struct rank_links {
	size_t *from;
	uint32_t *to;
};

/* Read-only after rank_graph_init. */
struct rank_graph {
	size_t n;
	struct rank_links out;
	struct rank_links in;
};

/*
 * Builds the graph in linear time; edges must lie within n pages and are borrowed for the call. 0
 * or ERR_NOMEM, with ret_graph untouched. Free with rank_graph_release.
 */
int rank_graph_init(
	struct rank_graph *ret_graph, size_t n, const struct rank_edges *edges) SP_MUST_CHECK;

/* Safe on a zeroed struct. */
void rank_graph_release(struct rank_graph *g);

static inline size_t rank_links_count(const struct rank_links *l, size_t page)
{
	return l->from[page + 1] - l->from[page];
}

/*
 * PageRank (Brin and Page, 1998; Tan et al., eq. 9): where a reader is who follows a random link
 * with probability 0.85 and goes to a random page otherwise. From a page without links he goes to a
 * random page, too: eq. 9 as printed loses his rank.
 */

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

/*
 * The links of one page in few bytes: the numbers of the pages it links to, ascending, as gaps in a
 * variable length of 7 bits a byte. The first gap is from the page itself and may be negative
 * (zigzag): links lead to pages that were found at about the same time. A link of a random graph
 * with 10^6 pages and 10^7 links takes 2.5 bytes (bench_rank), one of a site less.
 */

/* Sorts the targets of a page and drops the page itself and what is there twice. */
void rank_links_tidy(uint32_t page, struct u32_vec *targets);

/* Appends them; they must be tidy. 0, or as buf_add. */
int rank_pack(uint32_t page, const struct u32_vec *targets, struct buf *out) SP_MUST_CHECK;

/* Sets ret to what was packed: 0, ERR_SYNTAX for bytes that are no links, ERR_NOMEM. */
int rank_unpack(uint32_t page, slice packed, struct u32_vec *ret) SP_MUST_CHECK;

#endif
