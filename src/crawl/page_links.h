/* The links of the page that is read, for the link graph: what a lane needs to collect them. */
#ifndef CRAWL_PAGE_LINKS_H
#define CRAWL_PAGE_LINKS_H

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/slice.h"

struct capture;

/* Zero-initialise; used again for the next page. */
struct page_links {
	struct u32_vec targets; /* numbers of pages */
	struct buf packed;
};

/* Safe on a zeroed struct. */
void page_links_release(struct page_links *l);

/* A page is about to be read, in the lane of its capture. */
void page_links_start(struct capture *c);

/* It links to that URL, which has been discovered. One that was not kept is no page. */
int page_links_add(struct capture *c, slice url, struct err *err) SP_MUST_CHECK;

/*
 * Stores the links of the page, unless this is a revisit: the graph is that of the visits. Those
 * that wait for their visit grow in importance (importance.h).
 */
int page_links_store(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;

/* The page is a redirect to that URL, which has been discovered. */
int page_links_store_one(
	struct capture *c, uint32_t page, slice url, struct err *err) SP_MUST_CHECK;

#endif
