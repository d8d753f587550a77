#include "inspect/distance.h"

#include <stdlib.h>

/* Steps from the seed to each page by breadth-first search; queue has room for all pages. */
static void search(
	const struct rank_links *links, size_t n, uint32_t seed, int32_t *steps, uint32_t *queue)
{
	size_t head = 0, tail = 0;

	for (size_t i = 0; i < n; i++)
		steps[i] = RANK_UNREACHABLE;
	steps[seed] = 0;
	queue[tail++] = seed;
	while (head < tail) {
		uint32_t page = queue[head++];

		for (size_t k = links->from[page]; k < links->from[page + 1]; k++) {
			uint32_t next = links->to[k];

			if (steps[next] == RANK_UNREACHABLE) {
				steps[next] = steps[page] + 1;
				queue[tail++] = next;
			}
		}
	}
}

static void put_siblings(const struct rank_graph *g, uint32_t seed, int32_t *dist)
{
	for (size_t k = g->in.from[seed]; k < g->in.from[seed + 1]; k++) {
		uint32_t parent = g->in.to[k];

		for (size_t c = g->out.from[parent]; c < g->out.from[parent + 1]; c++)
			dist[g->out.to[c]] = 0;
	}
}

int rank_distance(const struct rank_graph *g, uint32_t seed, int32_t *dist)
{
	int32_t *back = calloc(g->n, sizeof *back);
	uint32_t *queue = calloc(g->n, sizeof *queue);
	int rc = back && queue ? 0 : ERR_NOMEM;

	if (rc == 0) {
		search(&g->out, g->n, seed, dist, queue);
		search(&g->in, g->n, seed, back, queue);
		for (size_t i = 0; i < g->n; i++)
			if (back[i] < dist[i])
				dist[i] = -back[i];
		put_siblings(g, seed, dist);
	}
	free(back);
	free(queue);
	return rc;
}
