/*
 * Clusters of texts: the connected components over pairs whose estimated resemblance is at least
 * 0.8. Candidates are texts that share a band of their sketches and, of long texts, those within
 * three bits of their SimHash; then the sketches decide.
 *
 * Sketches may be many, so they stay with the caller, who reads one at a time. For each text this
 * takes some 40 bytes, and 42 more for a long one. The work grows with the texts, not with the
 * pairs: a text is compared with at most CLUSTERS_COMPARE others of a bucket, and with one of a
 * cluster that is large already. So of a large cluster the lowest resemblance is that of the links
 * that were looked at.
 */
#ifndef SIMILAR_CLUSTERS_H
#define SIMILAR_CLUSTERS_H

#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/lists.h"
#include "similar/fingerprint.h"

enum {
	CLUSTERS_COMPARE = 32, /* texts of a bucket that a text is compared with */
	CLUSTERS_LARGE = 64,   /* texts of a cluster that is only joined, no longer compared */
};

/* Reads the fingerprint of a text: 0 or an error with its sentence. */
typedef int similar_clusters_read(
	void *context, uint32_t text, struct fingerprint *ret, struct err *err);

struct similar_cluster {
	uint32_t parent; /* a text of the same cluster, or itself */
	uint32_t size;   /* of a root */
	float lowest;    /* of a root: resemblance along its links */
};

VEC_DECLARE(similar_cluster_vec, struct similar_cluster);

/* Zero-initialise. Fields are its own. */
struct similar_clusters {
	struct similar_cluster_vec list; /* by text */
	uint64_t compared;               /* pairs */
};

void similar_clusters_release(struct similar_clusters *c);

/* Finds the clusters of texts 0 to count - 1. 0, ERR_NOMEM, ERR_LIMIT, or as read. */
int similar_clusters_find(struct similar_clusters *c, uint32_t count, similar_clusters_read *read,
	void *context, struct err *err) SP_MUST_CHECK;

/* The text that stands for its cluster. */
uint32_t similar_clusters_root(struct similar_clusters *c, uint32_t text);

/* 1 − the lowest resemblance along the links of a text's cluster; 0 for one text alone. */
double similar_clusters_distance(struct similar_clusters *c, uint32_t text);

#endif
