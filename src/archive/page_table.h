/*
 * Captures gathered by page, in the order of time, whatever the order in which files have them.
 * Memory grows with pages: of a page with more than PAGE_TABLE_KEEP captures, those that only
 * confirm their neighbours go first (nothing is lost by that), then the oldest (their changes are
 * still counted, but say no more about the rate).
 *
 * A capture counts if its status is 2xx or unknown. The same capture twice counts once; of two at
 * one instant the first counts.
 *
 * Besides what captures show there is what the site says: Last-Modified of a response, lastmod of a
 * sitemap. It counts as long as its host is trusted (archive/rates_model.h); page_entry_lies finds
 * where it contradicts what was seen.
 */
#ifndef ARCHIVE_PAGE_TABLE_H
#define ARCHIVE_PAGE_TABLE_H

#include "archive/listed.h"
#include "base/api.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "formats/url.h"
#include "plan/rate_estimate.h"

enum { PAGE_TABLE_KEEP = 512 };

struct page_seen {
	int64_t time; /* ns */
	listed_digest digest;
	int64_t modified; /* ns; 0: unknown. Without a digest it is that of a sitemap */
};

struct page_entry {
	slice url;              /* url_page; the table's */
	struct page_seen *seen; /* by time */
	uint32_t len, cap;
	uint32_t gone_changes; /* among captures that are no longer kept */
	uint64_t captures;     /* all that count */
	unsigned sources;      /* a set of the caller's, of captures with a digest */
	uint8_t frequency;     /* the caller's: the word that a sitemap has for it; 0: none */
	uint8_t lies;          /* the caller's: set of enum page_word, besides those found here */
};

VEC_DECLARE(page_entries, struct page_entry);

/* Fields are its own but for pages, which may be read. */
struct page_table {
	struct arena urls;
	struct strmap map;
	struct page_entries pages;
	struct url url;        /* scratch */
	struct buf last;       /* the URL of the last capture as written */
	uint32_t last_page;    /* its page */
	uint32_t keep;         /* captures of a page; PAGE_TABLE_KEEP unless set */
	int64_t until;         /* ns: later captures do not count; INT64_MAX unless set */
	uint64_t other_status; /* captures that do not count */
	uint64_t bad_urls;     /* and those whose URL is none, or not of HTTP */
};

/* Does not move afterwards. */
void page_table_init(struct page_table *t);
void page_table_release(struct page_table *t);

/* Adds a capture; source is a bit for page_entry.sources. 0, ERR_LIMIT, ERR_NOMEM. */
int page_table_add(struct page_table *t, const struct listed *o, unsigned source) SP_MUST_CHECK;

/* The same for a page of that number; the URL is not read. */
void page_table_see(struct page_table *t, uint32_t page, const struct listed *o, unsigned source);

/*
 * The number of the page of a URL in any spelling, which is added if it is not there, without
 * captures. 0, ERR_SYNTAX for what is no URL of HTTP, ERR_LIMIT, ERR_NOMEM.
 */
int page_table_get(
	struct page_table *t, slice url, uint32_t *ret_page, struct err *err) SP_MUST_CHECK;

/* Who says when a page was last modified: a set. */
enum page_word {
	PAGE_WORD_HTTP = 1,    /* Last-Modified */
	PAGE_WORD_SITEMAP = 2, /* lastmod */
	PAGE_WORD_FIRST = 4,   /* what it says at the first look is a change, not a birth */
};

/* What is known of a page. */
struct page_summary {
	uint64_t compared;   /* captures that could be compared with the one before */
	uint64_t changes;    /* of these, and of captures no longer kept */
	int64_t last_change; /* the capture that showed it first, ns; 0: none */
	int64_t last_seen;   /* the last capture, ns; 0: none */
	unsigned words;      /* set of enum page_word: whose word made a difference */
};

/*
 * Puts a page's intervals in place of what is in the list: each capture is compared with the one
 * before it, those without a digest left out; where the two have digests of different algorithms,
 * there is no interval. Where a trusted word tells the time of the change, the interval is exact. A
 * trusted sitemap counts as a look in between. With PAGE_WORD_FIRST in the set, the time that a
 * word names at the first look is that of a change; else nothing changed since, and no more is
 * known.
 */
struct page_summary page_entry_intervals(
	const struct page_entry *page, unsigned trusted, struct rate_intervals *out);

/*
 * Whose word captures of the page contradict, a set of enum page_word: it denies a change that was
 * seen, asserts one where the page was the same before and after, or goes back in time.
 */
unsigned page_entry_lies(const struct page_entry *page);

#endif
