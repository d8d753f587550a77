/*
 * Lines of link graphs: any bytes are read or refused with a sentence; what was read has ranks that
 * sum to 1 and distances.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "inspect/distance.h"
#include "inspect/graph_line.h"
#include "plan/rank_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PAGES_MAX = 1000 }; /* so that a round is short */

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void rank_all(struct rank_graph_line *line)
{
	double *rank = calloc(line->n, sizeof *rank), sum = 0;
	int32_t *dist = calloc(line->n, sizeof *dist);
	struct rank_graph graph = {0};

	require(rank && dist && rank_graph_init(&graph, line->n, &line->edges) == 0);
	require(rank_pagerank(&graph, rank) == 0);
	for (size_t i = 0; i < line->n; i++)
		sum += rank[i];
	require(fabs(sum - 1) < 1e-9);
	if (line->seeded)
		require(rank_distance(&graph, line->seed, dist) == 0 && dist[line->seed] == 0);
	rank_graph_release(&graph);
	free(rank);
	free(dist);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rank_graph_line line = {0};
	struct err err = {0};
	int rc = rank_graph_line((slice){(const char *)data, size}, &line, &err);

	require((rc == 0) == (err.text[0] == '\0'));
	if (rc == 0 && line.n > 0 && line.n <= PAGES_MAX)
		rank_all(&line);
	rank_edges_release(&line.edges);
	return 0;
}
