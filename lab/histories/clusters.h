/*
 * Pages that look alike, for update detection by sampling (Tan et al., section 4.3): k-means on the
 * features of the paper that a history has. These are the words of URLs, the depth of a URL, and
 * numbers of links where they are known.
 *
 * Words are clustered first, as tf·idf vectors. Of the ten largest clusters each gives one feature:
 * how many clusters are nearer to it than that of the page. All features are scaled to variance 1.
 */
#ifndef HISTORIES_CLUSTERS_H
#define HISTORIES_CLUSTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/slice.h"
#include "plan/rank_graph.h"

struct clusters {
	size_t n, k;
	uint32_t *of;       /* by page: its cluster */
	uint32_t *distance; /* by cluster and cluster: 0 for itself, 1 for the nearest other, … */
};

/*
 * graph may be NULL; k 0: the square root of n / 2, rounded up. The same seed gives the same
 * clusters. 0 or ERR_NOMEM; release after both.
 */
int clusters_make(struct clusters *c, const slice *paths, size_t n, const struct rank_graph *graph,
	size_t k, uint64_t seed) SP_MUST_CHECK;
void clusters_release(struct clusters *c);

#endif
