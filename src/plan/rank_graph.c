#include "plan/rank_graph.h"

#include <stdlib.h>

/*
 * Counting twice sorts: the pages that are reached are gone through in their order, so the list of
 * each page that links to them is ascending. All steps are linear, whatever the graph.
 */
static int links_init(struct rank_links *l, size_t n, size_t count)
{
	l->from = calloc(n + 2, sizeof *l->from);
	l->to = calloc(count + 1, sizeof *l->to);
	return l->from && l->to ? 0 : ERR_NOMEM;
}

static void links_release(struct rank_links *l)
{
	free(l->from);
	free(l->to);
	*l = (struct rank_links){0};
}

/* Counts were made two places late, so that filling moves each to where its page begins. */
static void sum_counts(struct rank_links *l, size_t n)
{
	for (size_t i = 2; i < n + 2; i++)
		l->from[i] += l->from[i - 1];
}

static int links_of_edges(struct rank_links *l, size_t n, const struct rank_edges *edges)
{
	int rc = links_init(l, n, edges->len);

	if (rc)
		return rc;
	for (size_t i = 0; i < edges->len; i++)
		l->from[edges->ptr[i].to + 2]++;
	sum_counts(l, n);
	for (size_t i = 0; i < edges->len; i++)
		l->to[l->from[edges->ptr[i].to + 1]++] = edges->ptr[i].from;
	return 0;
}

/* The same links the other way, each list ascending. */
static int links_reverse(struct rank_links *l, size_t n, const struct rank_links *of)
{
	int rc = links_init(l, n, of->from[n]);

	if (rc)
		return rc;
	for (size_t i = 0; i < of->from[n]; i++)
		l->from[of->to[i] + 2]++;
	sum_counts(l, n);
	for (size_t i = 0; i < n; i++)
		for (size_t k = of->from[i]; k < of->from[i + 1]; k++)
			l->to[l->from[of->to[k] + 1]++] = (uint32_t)i;
	return 0;
}

/* Lists are ascending: what is there twice stands side by side. */
static void drop_repeats(struct rank_links *l, size_t n)
{
	size_t begin = 0, kept = 0;

	for (size_t i = 0; i < n; i++) {
		size_t end = l->from[i + 1], mine = kept;

		for (size_t k = begin; k < end; k++)
			if (kept == mine || l->to[kept - 1] != l->to[k])
				l->to[kept++] = l->to[k];
		begin = end;
		l->from[i + 1] = kept;
	}
}

int rank_graph_init(struct rank_graph *ret_graph, size_t n, const struct rank_edges *edges)
{
	struct rank_graph g = {.n = n};
	struct rank_links unsorted = {0};
	int rc = links_of_edges(&unsorted, n, edges);

	if (rc == 0)
		rc = links_reverse(&g.out, n, &unsorted);
	links_release(&unsorted);
	if (rc == 0) {
		drop_repeats(&g.out, n);
		rc = links_reverse(&g.in, n, &g.out);
	}
	if (rc) {
		rank_graph_release(&g);
		return rc;
	}
	*ret_graph = g;
	return 0;
}

void rank_graph_release(struct rank_graph *g)
{
	links_release(&g->out);
	links_release(&g->in);
	*g = (struct rank_graph){0};
}
