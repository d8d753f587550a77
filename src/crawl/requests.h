/* The requests of a capture, what happens to them, and those that hold up the others. */
#ifndef CRAWL_REQUESTS_H
#define CRAWL_REQUESTS_H

#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/vec.h"
#include "formats/robots.h"
#include "plan/plan.h"
#include "warc/attempt.h"

struct capture;
struct net_fetch;
struct reading;
struct state_result;
struct url;

/* ---- the table of requests ---- */

/*
 * The requests of a capture that wait for their server or are under way, of all kinds, in one
 * table. A request is known by its place there, which is used again when the request has ended: a
 * robots.txt is fetched every day, for as long as a crawl takes. requests.c says what happens to
 * the requests of each kind.
 */

enum request_kind {
	REQUEST_PAGE, /* an order of the planner; all others are not part of the plan */
	REQUEST_ROBOTS,
	REQUEST_SITEMAP,
	REQUEST_PROBE,      /* a URL that cannot exist, for soft 404s */
	REQUEST_DUST,       /* a URL that was left out, to confirm the rule (attempt) that did */
	REQUEST_DUST_DOUBT, /* the page (attempt) that stands for one that shows something else */
	REQUEST_LOOK,       /* a further look at a page, for a purpose (probing.h) */
	REQUEST_AGAIN,      /* a second visit, after a bulk change (probing.h) */
	REQUEST_LOGIN,      /* login.h */
};

/* Why a request is not sent. */
enum drop_reason {
	DROP_SERVER_DOWN,
	DROP_FORBIDDEN, /* by robots.txt, which has changed, or left out since */
	DROP_CANCELLED, /* the capture has reached a limit */
	DROP_NO_SOCKET,
};

struct request {
	enum request_kind kind;
	uint32_t host;                /* where it is sent */
	char *url;                    /* owned; NULL for a page, whose URL is in struct pages */
	struct plan_order order;      /* page; of further looks page and attempt only */
	enum attempt_purpose purpose; /* of a further look */
	uint8_t refresh;              /* page under watch: enum refresh_purpose */
	bool checked_robots;          /* page: robots.txt was fetched again on its behalf */
	uint32_t robots_host;         /* robots.txt: the host whose rules it has */
	uint8_t tries;                /* robots.txt: earlier failures in a row */
	uint8_t redirects;            /* robots.txt, sitemap: that led here */
	uint8_t nesting;              /* sitemap: indexes that led here */
	uint8_t source;               /* sitemap under watch: of plan/refresh_run.h; 0: none yet */
	bool is_feed, is_named;       /* sitemap: as struct polled */
	bool conditional;             /* sitemap: 304 is an answer */
	bool checks;                  /* sitemap: whether the 304 before it was true */
	uint32_t polled;    /* sitemap: place in struct polling, plus one; 0: first time */
	uint8_t login_step; /* login: enum login_step */
	bool first;         /* goes before all other requests of its server */
	uint32_t chain[ROBOTS_REDIRECTS_MAX]; /* robots.txt: hashes of the URLs that led here */
	size_t next_free;                     /* of a free place: the next one plus one; 0: none */
};

VEC_DECLARE(request_vec, struct request);

/* The answer to one that is not for a page: it was read whole, and stored. */
struct answer {
	const struct request *request;
	const struct net_fetch *fetch;
	const struct state_result *result;
	struct reading *reading; /* its head and body */
};

struct requests {
	struct request_vec list;
	size_t first_free; /* place plus one; 0: none */
	size_t unplanned;  /* in the table that are not pages of the plan */
};

void requests_init(struct requests *q);

/* Frees the URLs, too. Safe on a zeroed struct. */
void requests_release(struct requests *q);

/* Adds a copy; the URL is taken over on success. 0 or ERR_NOMEM. */
int requests_take(
	struct requests *q, const struct request *request, size_t *ret_place) SP_MUST_CHECK;

/* The place of the order for a page; false: there is none. Walks along the table. */
bool requests_find(const struct requests *q, uint32_t page, size_t *ret_place);

/* Removes it, and frees its URL. */
void requests_free(struct requests *q, size_t place);

/*
 * Tags of fetches: the request's place, and above the lower 32 bits the slot of its capture in its
 * lane. In the politeness queue the place alone is the tag.
 */
static inline uint64_t request_tag(uint32_t slot, size_t place)
{
	return (uint64_t)slot << 32 | (uint32_t)place;
}

static inline uint32_t request_tag_slot(uint64_t tag)
{
	return (uint32_t)(tag >> 32);
}

static inline size_t request_tag_place(uint64_t tag)
{
	return (uint32_t)tag;
}

/* ---- what happens to them ---- */

/* Requests of all kinds. */

/* Queues a request until its server is ready; its URL is taken over. 0, ERR_NOMEM, ERR_LIMIT. */
int fetch_hold(struct capture *c, const struct request *r) SP_MUST_CHECK;

/*
 * The same for a URL that is not a page of the plan; *request has all but host and URL. Nothing
 * happens if the URL is invalid or the capture is cancelled: then *ret_held is false.
 */
int fetch_url(struct capture *c, slice url, const struct request *request, bool *ret_held,
	struct err *err) SP_MUST_CHECK;

/* A request may be sent: its server is ready. */
int fetch_start(struct capture *c, size_t place, struct err *err) SP_MUST_CHECK;

/* A fetch has ended. */
int fetch_finished(struct capture *c, const struct net_fetch *f, struct err *err) SP_MUST_CHECK;

/* Drops all requests that have not been sent: the capture is cancelled. */
int fetch_drop_all(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Whether the host's server has stopped answering. */
bool fetch_is_down(const struct capture *c, uint32_t host);

/* The same, or there is no such name. */
bool fetch_is_gone(const struct capture *c, uint32_t host);

/* The target of a redirect; false if it has no valid one. */
bool fetch_location(const struct answer *a, struct url *ret);

/* ---- responses that hold up the others ---- */

/* Ends the fetches that hold up the others: NET_FAILURE_SLOW. */
void slow_check(struct capture *c);

/* Seconds until it must be called again; infinite when nothing is held up. */
double slow_wait(const struct capture *c);

/* The outcome of such a fetch for the planner. */
enum plan_outcome slow_outcome(const struct capture *c, const struct plan_order *order);

/* Ends all fetches under way: the time is up. */
void slow_cancel_all(struct capture *c);

#endif
