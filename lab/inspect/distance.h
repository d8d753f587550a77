/*
 * How far pages are from a seed along links (Tan et al., Sampling-Based Update Detection, eq. 1):
 * 0 for siblings, which share a parent with it, else the length of the shortest path: positive
 * along links, negative against them. The cases overlap in the paper. Here siblings come first,
 * then the shorter path, and links before backlinks where both are equal.
 */
#ifndef INSPECT_DISTANCE_H
#define INSPECT_DISTANCE_H

#include <stdint.h>

#include "base/api.h"
#include "plan/rank_graph.h"

#define RANK_UNREACHABLE INT32_MAX

/*
 * Fills dist[g->n] for a seed below g->n; the seed itself is at 0. Pages that no path joins with
 * the seed are RANK_UNREACHABLE. 0 or ERR_NOMEM.
 */
int rank_distance(const struct rank_graph *g, uint32_t seed, int32_t *dist) SP_MUST_CHECK;

#endif
