/*
 * What the link graph of a capture costs: bytes of a link as it is kept, building the graph, and
 * its PageRank to 1e-6, from nothing and again after a hundredth of the pages came on top.
 *
 *	bench_rank [PAGES]	10 links a page; 10^6 pages unless said
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/parse.h"
#include "bench_cost.h"
#include "plan/rank_graph.h"
#include "sim/power_web.h"

#define ERROR 1e-6

enum { LINKS = 10, PACKED_MAX = 1 << 30 };

static void require(int rc)
{
	if (rc)
		abort();
}

/* Pages that are below n, and their links. */
static void build(struct rank_graph *g, const struct power_web *w, size_t n)
{
	struct rank_edges edges = {0};

	for (size_t i = 0; i < w->edges.len; i++)
		if (w->edges.ptr[i].from < n && w->edges.ptr[i].to < n)
			require(rank_edges_push(&edges, w->edges.ptr[i]));
	require(rank_graph_init(g, n, &edges));
	rank_edges_release(&edges);
}

static double packed_size(const struct rank_graph *g)
{
	struct u32_vec targets = {0};
	struct buf packed;
	double size;

	buf_init(&packed, PACKED_MAX);
	for (uint32_t i = 0; i < g->n; i++) {
		targets.len = 0;
		require(u32_vec_add(
			&targets, g->out.to + g->out.from[i], rank_links_count(&g->out, i)));
		rank_links_tidy(i, &targets);
		require(rank_pack(i, &targets, &packed));
	}
	size = (double)packed.len;
	buf_release(&packed);
	u32_vec_release(&targets);
	return size;
}

static void measure(const struct rank_graph *g, const char *what, double *rank)
{
	double from = bench_seconds();
	unsigned steps;

	require(rank_pagerank_improve(g, ERROR, rank, &steps));
	printf("%-36s %8.3f s, %u passes\n", what, bench_seconds() - from, steps);
}

int main(int argc, char **argv)
{
	struct rank_graph smaller, graph;
	struct power_web web = {0};
	uint64_t n = 1000000;
	struct rng rng;
	double *rank, from;

	if (argc > 1 && (parse_u64(slice_str(argv[1]), &n) || n < 1000 || n > 100000000))
		return 2;
	rng_init(&rng, 1);
	require(power_web_init(
		&web, &(struct power_web_params){n, LINKS + 1, 0.7, (uint32_t)(n / 1000), &rng}));
	from = bench_seconds();
	require(rank_graph_init(&graph, n, &web.edges));
	printf("%zu pages, %zu links\n", graph.n, graph.out.from[n]);
	printf("%-36s %8.3f s\n", "building the graph", bench_seconds() - from);
	printf("%-36s %8.3f\n", "bytes of a link, packed",
		packed_size(&graph) / (double)graph.out.from[n]);
	rank = calloc(n, sizeof *rank);
	if (!rank)
		return 1;
	build(&smaller, &web, n - n / 100);
	measure(&smaller, "PageRank to 1e-6, from nothing", rank);
	measure(&graph, "again, with a hundredth more pages", rank);
	free(rank);
	rank_graph_release(&smaller);
	rank_graph_release(&graph);
	power_web_release(&web);
	return 0;
}
