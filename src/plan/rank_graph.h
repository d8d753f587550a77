/*
 * The link graph of a capture: pages 0 up to n - 1, and which links to which. A page links to
 * another once, however often its text repeats the link.
 */
#ifndef PLAN_RANK_GRAPH_H
#define PLAN_RANK_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
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

#endif
