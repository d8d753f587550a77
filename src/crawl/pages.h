/* The pages of a capture by number, and the links between them. */
#ifndef CRAWL_PAGES_H
#define CRAWL_PAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/seen.h"
#include "base/slice.h"
#include "base/spill.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "crawl/reading.h"
#include "formats/http_digest.h"
#include "formats/links.h"
#include "plan/survival.h"
#include "warc/attempt.h"
#include "warc/warc_header.h"

/* ---- pages ---- */

/*
 * The pages of a capture, by number: what fetching and judging them needs; the rest is in the
 * catalog. What every decision needs is in memory, some 50 bytes a page with the table of known
 * URLs. URLs and visits are in the lane's temporary file, but for the last few megabytes of all its
 * captures (base/spill.h).
 */

/* The inverse of link_kind_name; an unknown name is a page. */
uint8_t page_kind_of_name(slice name);

/* Needed to show another page: an image, a script, a style sheet. */
bool page_kind_is_requisite(uint8_t kind);

/* A usable visit, to compare the revisit with. */
struct page_visit {
	struct same_key key;
	struct digest payload;
	uint64_t coding; /* attempt.h: bodies are the same only if that is, too */
	uint64_t type;   /* of its media type (response.h) */
	uint16_t status;
	bool is_plain; /* others can be compared with it by their bodies */
	struct reading_signs signs;
	int64_t date;          /* of the record */
	struct warc_id record; /* that has its body; empty when that is another page's */
	struct warc_id own;    /* its record, whatever that has */
	double end;            /* on the planner's clock */
};

/* Whether an attempt shows the same as the visit; both are usable (proof/verdict.h). */
static inline bool page_visit_is_same(const struct page_visit *visit, const struct attempt *a)
{
	struct same_key now = same_key_of(a);

	return same_compare(&visit->key, &now) != SAME_NOT;
}

/* Whether its own record has its body. */
static inline bool page_visit_has_body(const struct page_visit *visit)
{
	return visit->own.text[0] && strcmp(visit->record.text, visit->own.text) == 0;
}

/* The prior of a page when it is found; then the planner has it. */
struct page_prior {
	struct survival survival;
	float weight;
};

/* Masks for bit fields. */
#define PAGE_SIX_BITS  63U
#define PAGE_FIVE_BITS 31U
#define PAGE_FOUR_BITS 15U
#define PAGE_TWO_BITS  3U

struct crawl_page {
	uint32_t record; /* where its record is: pages.c's own */
	uint32_t host;   /* of net/servers.h; if crawl_page_has_host */
	uint32_t via;    /* or CATALOG_NO_PAGE */
	uint32_t depth;
	uint32_t position;   /* in the order of visits; once visited */
	uint8_t kind : 4;    /* enum link_kind */
	uint8_t content : 2; /* enum catalog_content */
	bool is_seed : 1;    /* given by the user, or where such a one redirects to */
	bool taken : 1;
	uint8_t left_out : 5; /* enum left_out: why it was not taken */
	bool planned : 1;     /* the planner knows it */
	bool visited : 1;     /* there is a good visit */
	bool is_told : 1;     /* by an earlier capture (earlier.h) */
	uint8_t hops_out;
	uint8_t redirects : 6;  /* in a row that led here */
	bool with_cookies : 1;  /* requests for it carry cookies (sessions.h) */
	bool tries_cookies : 1; /* whether it needs them is not known yet */
};

_Static_assert(sizeof(struct crawl_page) == 24, "there are millions of them");
_Static_assert(LINK_KIND_COUNT <= 16 && LEFT_OUT_COUNT <= 32, "they have four and five bits");

/* Pages that the scope or a limit refused have no host. */
static inline bool crawl_page_has_host(const struct crawl_page *p)
{
	return p->taken || left_out_is_robots((enum left_out)p->left_out) ||
	       p->left_out == LEFT_OUT_SPAM;
}

VEC_DECLARE(crawl_page_vec, struct crawl_page);

/* Zero-initialise, then pages_init. */
struct pages {
	struct crawl_page_vec list;
	struct seen seen;
	struct spill records; /* what is assumed and the URL, page after page */
	struct spill visits;  /* by page */
	size_t taken;
	size_t requisites; /* of them */
};

enum { PAGES_REQUISITES_EACH = 100 }; /* of a page, on average, that --max-pages allows */

/*
 * The pool, for URLs and visits, and the memory for known URLs, which is shared with other
 * captures, are borrowed. The struct must not be moved afterwards.
 */
void pages_init(struct pages *p, struct spill_pool *pool, struct seen_budget *budget);

/* Safe on a zeroed struct. */
void pages_release(struct pages *p);

/* Counts a page of that kind as taken (1), or no longer (-1). */
void pages_count(struct pages *p, uint8_t kind, int by);

/*
 * Whether a page of that kind may be taken under --max-pages (0: any). Requisites belong to pages
 * that were taken: they have a limit of their own. free: pages that do not count.
 */
bool pages_have_room(const struct pages *p, uint8_t kind, size_t free, uint32_t max);

/* Adds a page whose URL is not known yet: 0, ERR_LIMIT, ERR_NOMEM, ERR_IO. */
int pages_add(struct pages *p, slice url, const struct page_prior *prior,
	const struct crawl_page *page, uint32_t *ret_number, struct err *err) SP_MUST_CHECK;

/*
 * Whether the URL (without fragment) is known. It may be in a file: if that cannot be read, the
 * answer is no, and pages_check and pages_add fail.
 */
bool pages_find(struct pages *p, slice url, uint32_t *ret_number);
int pages_check(const struct pages *p, struct err *err) SP_MUST_CHECK;

/* Whether some of the known URLs are only in files. */
static inline bool pages_are_in_files(const struct pages *p)
{
	return seen_disk_bytes(&p->seen) > 0;
}

/* Sets text to the URL of a page: 0, ERR_NOMEM, ERR_IO. */
int pages_url(
	const struct pages *p, uint32_t number, struct buf *text, struct err *err) SP_MUST_CHECK;

/* Whether an earlier capture told of both: then it told, too, whether one needs the other. */
static inline bool pages_are_told(const struct pages *p, uint32_t one, uint32_t other)
{
	return p->list.ptr[one].is_told && p->list.ptr[other].is_told;
}

/*
 * Whether a page of that URL is asked by POST: it is the answer to a form. Then *ret_target is the
 * URL to be asked, *ret_post the body (warc/warc_request.h), both in url.
 */
bool pages_is_post(
	const struct pages *p, uint32_t number, slice url, slice *ret_target, slice *ret_post);

/* Its prior when it was found: 0 or ERR_IO. */
int pages_prior(const struct pages *p, uint32_t number, struct page_prior *ret,
	struct err *err) SP_MUST_CHECK;

/*
 * The look of an earlier capture at a page that is not visited yet (earlier.h). As pages_set_visit,
 * pages_visit.
 */
int pages_set_earlier(struct pages *p, uint32_t number, const struct page_visit *look,
	struct err *err) SP_MUST_CHECK;
int pages_earlier(const struct pages *p, uint32_t number, struct page_visit *ret,
	struct err *err) SP_MUST_CHECK;

/* Stores a visit; replaces an earlier one. 0, ERR_NOMEM, ERR_IO. */
int pages_set_visit(struct pages *p, uint32_t number, const struct page_visit *visit,
	struct err *err) SP_MUST_CHECK;

/* That visit; only of a page that is visited. 0 or ERR_IO. */
int pages_visit(const struct pages *p, uint32_t number, struct page_visit *ret,
	struct err *err) SP_MUST_CHECK;

/* ---- links of the page that is read ---- */

/* The links of the page that is read, for the link graph: what a lane needs to collect them. */

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

/* It links to that page; one that was not kept has no number, CATALOG_NO_PAGE. */
void page_links_add(struct capture *c, uint32_t target);

/*
 * Stores the links of the page, unless this is a revisit: the graph is that of the visits. Those
 * that wait for their visit grow in importance (importance.h).
 */
int page_links_store(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;

/* The page is a redirect to that URL, which has been discovered. */
int page_links_store_one(
	struct capture *c, uint32_t page, slice url, struct err *err) SP_MUST_CHECK;

#endif
