/*
 * Which requisites (styles, scripts, images, fonts, frames) the pages of a capture are made of, and
 * those of the requisites in turn: what a style sheet imports, what is in a frame, where a
 * redirected image leads. Pages by their numbers; four bytes for each edge and page.
 */
#ifndef PROOF_REQUISITES_H
#define PROOF_REQUISITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/lists.h"
#include "catalog/catalog.h"

/* Of one page; a page that has more is never called complete. */
enum { REQUISITES_MAX = 10000 };

/* Zero-initialise. Fields are its own. */
struct requisites {
	struct u32_vec starts; /* of each page in the list, and its end */
	struct u32_vec list;
};

/* Fields are its own, but for parts and complete, which may be read. */
struct requisites_search {
	struct u32_vec parts; /* the requisites that were found */
	bool complete;        /* see requisites_find */
	struct u32_vec seen;  /* by page: the number of the search that has seen it */
	uint32_t number;
};

/* Reads those of a capture with so many pages: 0, or as the catalog. To be released in any case. */
int requisites_load(struct requisites *r, struct catalog *catalog, uint32_t capture, size_t pages,
	struct err *err) SP_MUST_CHECK;

/* The same of one page and what it is made of, down to the last part: the others have none. */
int requisites_load_page(struct requisites *r, struct catalog *catalog, uint32_t capture,
	size_t pages, uint32_t page, struct err *err) SP_MUST_CHECK;
void requisites_release(struct requisites *r);

/* Gets all the memory that a search in them needs. */
void requisites_search_init(struct requisites_search *s, const struct requisites *r);
void requisites_search_release(struct requisites_search *s);

/*
 * Finds all requisites of a page, first those that it names itself, then theirs, and so on; without
 * the page itself. The search is not complete when some have no number (they were found, but not
 * kept) or there are more than REQUISITES_MAX.
 */
void requisites_find(const struct requisites *r, uint32_t page, struct requisites_search *s);

#endif
