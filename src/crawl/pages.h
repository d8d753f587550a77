/*
 * The pages of a capture, by number: what fetching and judging them needs; the rest is in the
 * catalog. What every decision needs is in memory, some 50 bytes a page with the table of known
 * URLs. URLs and visits are in the lane's temporary file, but for the last few megabytes of all its
 * captures (base/spill.h).
 */
#ifndef CRAWL_PAGES_H
#define CRAWL_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/same.h"
#include "archive/warc_entry.h"
#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/spill.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "extract/link_kind.h"
#include "frontier/seen.h"
#include "http/digest.h"
#include "plan/survival.h"

/* The inverse of link_kind_name; an unknown name is a page. */
uint8_t page_kind_of_name(slice name);

/* Needed to show another page: an image, a script, a style sheet. */
bool page_kind_is_requisite(uint8_t kind);

/* A usable visit, to compare the revisit with. */
struct page_visit {
	struct same_key key;
	struct digest payload;
	uint64_t coding; /* attempt.h: bodies are the same only if that is, too */
	uint64_t type;   /* of its media type (comparing.h) */
	uint16_t status;
	bool is_plain;         /* others can be compared with it by their bodies */
	int64_t date;          /* of its record */
	struct warc_id record; /* empty when its body is in another one */
	struct warc_id own;    /* its record, whatever that has */
	double end;            /* on the planner's clock */
};

/* Whether an attempt shows the same as the visit; both are usable (quality/verdict.h). */
static inline bool page_visit_is_same(const struct page_visit *visit, const struct attempt *a)
{
	struct same_key now = same_key_of(a);

	return same_compare(&visit->key, &now) != SAME_NOT;
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
	uint32_t host;   /* of frontier/hosts.h; if crawl_page_has_host */
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
	return p->taken || p->left_out == LEFT_OUT_ROBOTS || p->left_out == LEFT_OUT_SPAM;
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

/* The pool, for URLs and visits, is borrowed. The struct must not be moved afterwards. */
void pages_init(struct pages *p, struct spill_pool *pool);

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

/* Whether the URL (without fragment) is known. */
bool pages_find(const struct pages *p, slice url, uint32_t *ret_number);

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
 * URL to be asked, *ret_post the body (archive/post_query.h), both in url.
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

#endif
