#include "rank/pagerank.h"

#include <math.h>
#include <stdlib.h>

#define DAMPING   0.85
#define ERROR_MAX 1e-13

/*
 * A step shrinks the distance to the limit by DAMPING at least, so that 200 reach ERROR_MAX. More
 * than that is rounding.
 */
enum { STEPS_MAX = 250 };

/* One step of the power method; returns how far it went, the sum over pages. */
static double step(const struct rank_graph *g, const double *share, double *rank)
{
	double lost = 0, moved = 0, everywhere;

	for (size_t i = 0; i < g->n; i++)
		if (rank_links_count(&g->out, i) == 0)
			lost += rank[i];
	everywhere = (1 - DAMPING + DAMPING * lost) / (double)g->n;
	for (size_t i = 0; i < g->n; i++) {
		double sum = 0, before = rank[i];

		for (size_t k = g->in.from[i]; k < g->in.from[i + 1]; k++)
			sum += share[g->in.to[k]];
		rank[i] = everywhere + DAMPING * sum;
		moved += fabs(rank[i] - before);
	}
	return moved;
}

int rank_pagerank(const struct rank_graph *g, double *rank)
{
	double *share = calloc(g->n + 1, sizeof *share); /* what a page gives to each it links to */
	double moved = INFINITY;

	if (!share)
		return ERR_NOMEM;
	for (size_t i = 0; i < g->n; i++)
		rank[i] = 1 / (double)g->n;
	for (int s = 0; s < STEPS_MAX && moved * DAMPING / (1 - DAMPING) > ERROR_MAX; s++) {
		for (size_t i = 0; i < g->n; i++) {
			size_t links = rank_links_count(&g->out, i);

			share[i] = links ? rank[i] / (double)links : 0;
		}
		moved = step(g, share, rank);
	}
	free(share);
	return 0;
}
