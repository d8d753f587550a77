#include "rank/graph.h"

#include <stdbool.h>
#include <stdlib.h>

static int by_ends(const void *a, const void *b)
{
	const struct rank_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static void drop_repeats(struct rank_edges *edges)
{
	size_t kept = 0;

	if (edges->len > 1)
		qsort(edges->ptr, edges->len, sizeof *edges->ptr, by_ends);
	for (size_t i = 0; i < edges->len; i++)
		if (i == 0 || by_ends(&edges->ptr[i], &edges->ptr[kept - 1]) != 0)
			edges->ptr[kept++] = edges->ptr[i];
	edges->len = kept;
}

static int links_init(struct rank_links *l, size_t n, size_t count)
{
	l->from = calloc(n + 2, sizeof *l->from);
	l->to = calloc(count + 1, sizeof *l->to);
	return l->from && l->to ? 0 : ERR_NOMEM;
}

/* Counts one place late, so that filling moves each count to where its page begins. */
static void links_fill(struct rank_links *l, size_t n, const struct rank_edges *edges, bool reverse)
{
	for (size_t i = 0; i < edges->len; i++)
		l->from[(reverse ? edges->ptr[i].to : edges->ptr[i].from) + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		l->from[i] += l->from[i - 1];
	for (size_t i = 0; i < edges->len; i++) {
		struct rank_edge e = edges->ptr[i];

		l->to[l->from[(reverse ? e.to : e.from) + 1]++] = reverse ? e.from : e.to;
	}
}

int rank_graph_init(struct rank_graph *ret_graph, size_t n, struct rank_edges *edges)
{
	struct rank_graph g = {.n = n};

	drop_repeats(edges);
	if (links_init(&g.out, n, edges->len) || links_init(&g.in, n, edges->len)) {
		rank_graph_release(&g);
		return ERR_NOMEM;
	}
	links_fill(&g.out, n, edges, false);
	links_fill(&g.in, n, edges, true);
	*ret_graph = g;
	return 0;
}

void rank_graph_release(struct rank_graph *g)
{
	free(g->out.from);
	free(g->out.to);
	free(g->in.from);
	free(g->in.to);
	*g = (struct rank_graph){0};
}
