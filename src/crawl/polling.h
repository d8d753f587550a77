/*
 * The sitemaps and feeds of a site under watch, asked again and again for what they announce: new
 * pages, and pages that have changed. Each becomes a source of plan/refresh_run.h; those of an
 * index share its source.
 *
 * A twentieth of the site's budget is for them. Each has its own interval: half as long after news,
 * half as long again after none, up to a day. So a feed that has news every hour is asked about
 * every hour. Requests are conditional (If-None-Match, If-Modified-Since) unless the host was found
 * to lie (see struct asserted).
 *
 * Validators and dates are in memory only: after a restart everything is read once in full, which
 * also finds what was announced before and not looked at. The catalog keeps what is learned: the
 * counts, the trust, and what sources are worth.
 */
#ifndef CRAWL_POLLING_H
#define CRAWL_POLLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"

enum {
	POLLS_MAX = 1024,     /* of a site */
	POLL_SOURCE_PING = 1, /* the pings' own source, and their place in the list */
	POLL_PINGS = 0,
};

#define POLL_NONE UINT32_MAX

struct answer;
struct capture;
struct sitemap_entry;
struct net_fetch;
struct request;
struct state_result;

/*
 * What "304 Not Modified" is worth. It is what a server says, not what we have seen: it is counted
 * apart and proves nothing. Some of these answers are held against a full download at once: the
 * first, one in two of the next, one in three, and in the long run one in ten, drawn at random; and
 * the next after a doubt. A host that was found to lie is not believed again.
 *
 * A full download that differs may also mean that the resource changed just then. So it is a lie if
 * the download shows that itself: it has the very ETag or Last-Modified that was confirmed, or a
 * Last-Modified from before the 304. Else it is a doubt, and two doubts in a row are a lie. Pure.
 */
struct asserted {
	uint64_t answers; /* 304 */
	uint64_t checked; /* of them: by a full download */
	uint64_t lies;    /* of these: found false */
	bool doubted;     /* the last check was a doubt */
};

/* A full download right after a 304. */
struct asserted_check {
	bool differs;         /* from what the 304 said is still so */
	bool same_validators; /* they are those that the 304 confirmed */
	bool is_older;        /* its Last-Modified is before the 304 */
};

/* A 304 came: counts it. Whether it is to be checked; chance: from 0 to 1. */
bool asserted_came(struct asserted *a, double chance);

/* It was checked. Whether it was a lie. */
bool asserted_judge(struct asserted *a, const struct asserted_check *check);

/* Fields are polling.c's own, but for url and the counts. */
struct polled {
	char *url; /* owned; "" for pings */
	bool is_feed;
	bool is_named;         /* by the robots.txt of its own host: no rule forbids it */
	uint8_t nesting;       /* indexes that led to it */
	uint8_t source;        /* of plan/refresh_run.h */
	char *etag, *modified; /* validators of the last full response; owned; NULL: none */
	int64_t confirmed;     /* Date of the last 304, s since 1970; 0: none */
	uint64_t body;         /* hash of the last full response; of what it listed; 0: none yet */
	uint64_t said;
	int64_t listed;  /* what its index last said of it, ns since 1970; 0: nothing */
	double interval; /* s; 0: not polled yet */
	uint64_t polls;  /* answers */
	struct asserted asserted;
};

VEC_DECLARE(polled_vec, struct polled);

/* Fields are polling.c's own, but for list. Zero-initialise, then polling_init. */
struct polling {
	struct polled_vec list;
	struct arena names;
	struct strmap numbers; /* by URL: place in the list */
	struct heap due;       /* places that are not asked, by time (s since 1970) */
	struct hash_key key;
	double last; /* of the last request, s since 1970 */
	unsigned next_source;
	double pings_stored_at; /* s since 1970 */
	double pings_stored;    /* looks that pings were judged by when they were last stored */
	bool started;
};

int polling_init(struct polling *p) SP_MUST_CHECK; /* 0 or ERR_NOMEM */
void polling_release(struct polling *p);

/* What an earlier process knew. */
int polling_restore(
	struct capture *c, const struct catalog_poll *row, struct err *err) SP_MUST_CHECK;

/* Sends what is due; and seconds until it is to be called again. */
int polling_dispatch(struct capture *c, struct err *err) SP_MUST_CHECK;
double polling_wait(const struct capture *c);

/* ---- for sitemaps.c; nothing happens but under watch ---- */

/*
 * A response has come whose body is to be read: *ret_source, unless there are too many already.
 * *ret_said: it is as before and need not be read, and this is what it listed.
 */
int polling_opened(struct capture *c, const struct request *r, slice body, unsigned *ret_source,
	uint64_t *ret_said, struct err *err) SP_MUST_CHECK;

/* It lists this: adds it to the hash of what it lists, and takes an index at its word. */
void polling_entry(struct capture *c, const struct sitemap_entry *entry, uint64_t *said);

/* A request for it has ended; said: what it listed (a hash), 0 if it has no sitemap. */
int polling_answered(
	struct capture *c, const struct answer *a, uint64_t said, struct err *err) SP_MUST_CHECK;

/* It was not sent. */
int polling_dropped(struct capture *c, const struct request *r, struct err *err) SP_MUST_CHECK;

/* ---- for all of the watch ---- */

/* What the request has to confirm: that it is as before; NULL: nothing. */
const struct polled *polling_condition(const struct capture *c, const struct request *r);

/* Somebody says that it has changed: it is due now. Whether the URL is polled. */
bool polling_hurry(struct capture *c, slice url);

/* Stores what pings were worth, now and then, if that has changed. */
int polling_store_pings(struct capture *c) SP_MUST_CHECK;

#endif
