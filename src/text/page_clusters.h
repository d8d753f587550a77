/* Pages of archives that are alike, without what all pages of a site share. */
#ifndef TEXT_PAGE_CLUSTERS_H
#define TEXT_PAGE_CLUSTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"
#include "text/similar.h"

/* ---- what pages share ---- */

/*
 * Boilerplate: lines that most pages of a place (a directory, a host) have, such as menus and
 * footers. They say nothing about what a page is, so fingerprints leave them out.
 *
 *	boilerplate_learn(&b, place, &page)		// for every page, in a first pass
 *	boilerplate_settle(&b)				// then
 *	boilerplate_at(&b, place)			// its lines, or NULL
 *
 * The first BOILERPLATE_PAGES different texts of a place decide. A line is boilerplate if more than
 * half of them have it. Versions of one page are no different texts: they have most lines in
 * common, and none of them is boilerplate for that. So a text that resembles one of the others by
 * BOILERPLATE_SAME_PERCENT does not count, and where less than BOILERPLATE_REST words of a page
 * would be left on average, nothing is boilerplate.
 *
 * Memory is bounded: BOILERPLATE_LINES_MAX lines of all places that are not decided yet. Places
 * beyond that have no boilerplate.
 */

enum {
	BOILERPLATE_PAGES = 64,          /* of a place that decide */
	BOILERPLATE_PAGES_MIN = 8,       /* fewer decide nothing */
	BOILERPLATE_REST = 20,           /* words that must be left of a page, on average */
	BOILERPLATE_SAME_PERCENT = 90,   /* resemblance of versions of one text */
	BOILERPLATE_PAGE_LINES = 1024,   /* of a page that are read */
	BOILERPLATE_LINES_MAX = 4 << 20, /* of places that are not decided; of 16 bytes each */
};

struct boilerplate_line {
	uint64_t hash;
	uint32_t words;
};

VEC_DECLARE(boilerplate_lines, struct boilerplate_line);

/* Different lines of a page, by hash. Zero-initialise; may be used again and again. */
struct boilerplate_page {
	struct boilerplate_lines lines;
	struct minhash_sketch sketch; /* of the text */
	uint32_t words;
};

/* The lines of a text. */
void boilerplate_page_read(struct boilerplate_page *p, slice text);
void boilerplate_page_release(struct boilerplate_page *p);

/* A line without its newline: a hash of its words. */
uint64_t boilerplate_hash(slice line, uint32_t *ret_words);

struct boilerplate_place {
	struct boilerplate_lines lines; /* of its pages; once it is decided: its boilerplate */
	struct minhash_sketch *texts;   /* of its pages, until it is decided */
	uint64_t words;                 /* of all its pages */
	uint32_t pages;
	bool decided;
};

VEC_DECLARE(boilerplate_places, struct boilerplate_place);

/* Fields are its own. */
struct boilerplate {
	struct arena arena;
	struct strmap numbers; /* of places */
	struct boilerplate_places places;
	size_t open_lines;
};

void boilerplate_init(struct boilerplate *b, struct hash_key key);
void boilerplate_release(struct boilerplate *b);

/* A page of a place. */
void boilerplate_learn(struct boilerplate *b, slice place, const struct boilerplate_page *page);

/* All pages are known. */
void boilerplate_settle(struct boilerplate *b);

/* NULL for a place that had too few pages. */
const struct boilerplate_place *boilerplate_at(const struct boilerplate *b, slice place);

bool boilerplate_has(const struct boilerplate_place *place, uint64_t line);

/* ---- clusters of pages ---- */

/*
 * Pages of an archive that show the same text, or nearly: their visible text out of the WARC files,
 * without the boilerplate of their directory, in clusters (text/similar.h).
 *
 * A page is a URL with its newest version. Records whose body another record has (revisits) count
 * as that. The files are read twice: for the boilerplate, then for the fingerprints. In memory are
 * the URLs and some 100 bytes for each; fingerprints are in a temporary file beyond 8 MB.
 */

struct page_clusters_params {
	const char *path;      /* WARC files: warc/warc_set.h */
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

/* Calls for each cluster, the largest first. */
void page_clusters_each(struct page_clusters *p, page_clusters_call *call, void *context);

#endif
