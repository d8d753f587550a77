/*
 * The pages of a capture, by number: what fetching and judging them needs. Everything else is in
 * the catalog.
 */
#ifndef CRAWL_PAGES_H
#define CRAWL_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/digest.h"
#include "archive/warc_entry.h"
#include "base/api.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "frontier/seen.h"
#include "plan/survival.h"

/* The counterpart of link_kind_name; what is unknown is a page. */
uint8_t page_kind_of_name(slice name);

/* Needed to show another page, not somewhere to go. */
bool page_kind_is_requisite(uint8_t kind);

/* What a good visit leaves behind for the revisit to be held against. */
struct page_visit {
	struct digest state;
	struct digest payload;
	uint64_t coding; /* hash of Content-Encoding: bodies are the same only if that is, too */
	int64_t date;    /* of its record */
	struct warc_id record;
	double end; /* on the planner's clock */
};

struct crawl_page {
	const char *url; /* with a NUL behind it */
	uint32_t url_len;
	uint32_t host; /* of frontier/hosts.h; only if taken */
	uint32_t via;  /* or CATALOG_NO_PAGE */
	uint32_t depth;
	uint8_t kind; /* enum link_kind */
	uint8_t hops_out;
	uint8_t redirects; /* in a row that led here */
	bool is_seed;      /* given by the user, or where such a one redirects to */
	bool taken;
	bool outside;      /* refused by the scope or a limit: another link may still take it in */
	bool planned;      /* the planner knows it */
	uint32_t position; /* in the order of visits; once visited */
	float weight;
	struct survival survival;
	struct page_visit *visit; /* NULL until there is a good one */
};

VEC_DECLARE(crawl_page_vec, struct crawl_page);

/* Zero-initialise, then pages_init. */
struct pages {
	struct crawl_page_vec list;
	struct arena arena; /* URLs and visits */
	struct seen seen;
	size_t taken;
};

void pages_init(struct pages *p);
void pages_release(struct pages *p);

/* Adds a page whose URL is not known yet; *page says the rest, its url is copied. */
int pages_add(struct pages *p, slice url, const struct crawl_page *page,
	uint32_t *ret_number) SP_MUST_CHECK;

/* Whether the URL (without fragment) is known. */
bool pages_find(const struct pages *p, slice url, uint32_t *ret_number);

/* The visit of a page, made when it is not there: NULL without memory. */
struct page_visit *pages_visit(struct pages *p, uint32_t number);

static inline slice crawl_page_url(const struct crawl_page *page)
{
	return (slice){page->url, page->url_len};
}

#endif
