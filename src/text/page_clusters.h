/*
 * Pages of an archive that show the same text, or nearly: their visible text out of the WARC files,
 * without the boilerplate of their directory, in clusters (similar/clusters.h).
 *
 * A page is a URL with its newest version. Records whose body another record has (revisits) count
 * as that. The files are read twice: for the boilerplate, then for the fingerprints. In memory are
 * the URLs and some 100 bytes for each; fingerprints are in a temporary file beyond 8 MB.
 */
#ifndef TEXT_PAGE_CLUSTERS_H
#define TEXT_PAGE_CLUSTERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

struct page_clusters_params {
	const char *path;      /* WARC files: archive/warc_set.h */
	const char *temporary; /* directory for temporary files */
};

/* A cluster of two or more pages; valid for the call. */
struct page_cluster {
	const slice *urls; /* sorted */
	size_t count;
	double distance; /* 1 − the lowest resemblance along its links */
};

typedef void page_clusters_call(void *context, const struct page_cluster *cluster);

struct page_clusters; /* opaque */

/* Reads the files and finds the clusters. 0, ERR_NOMEM, ERR_LIMIT, or as warc_set_each. */
int page_clusters_read(const struct page_clusters_params *params, struct page_clusters **ret,
	struct err *err) SP_MUST_CHECK;
void page_clusters_free(struct page_clusters *p); /* NULL is fine */

/* Pages that were read. */
uint64_t page_clusters_pages(const struct page_clusters *p);

/* Calls for each cluster, the largest first. 0 or ERR_NOMEM. */
int page_clusters_each(
	struct page_clusters *p, page_clusters_call *call, void *context) SP_MUST_CHECK;

#endif
