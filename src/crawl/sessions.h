/* Cookies of a capture: where they are sent back, and sites that send visitors without one away. */
#ifndef CRAWL_SESSIONS_H
#define CRAWL_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"
#include "crawl/pages.h"

struct arrival;
struct plan_order;
struct request;

/* ---- sessions ---- */

/*
 * Whether the cookies of a site are sent back to it. A session makes what a page shows depend on
 * what was asked for before: the trail of a wiki, the cart of a shop. So each page is asked for as
 * by somebody who comes for the first time. Cookies are sent only where
 *
 *  (1) the user gave them, or a login;
 *  (2) the page fails without them: it is refused, blocked, or redirected to where we were already,
 *      or back to itself. Asked again with the cookies that the site has set by
 *      then, it answers;
 *  (3) pages of its directory or host were of that kind, and none was not;
 *  (4) pages of its host show something else each time without cookies, and the same with them.
 *      Pages that set cookies are asked for once more, as probes of the purpose "session".
 *
 * The revisit of a page is sent as its visit was. The purpose of looks with cookies is "cookies".
 * All of this is forgotten with the jar when a process ends, and learned anew.
 */

/* What pages of a host or directory say about cookies. */
struct session_place {
	uint32_t needed; /* pages that answer with cookies only */
	uint32_t fine;   /* that answer without */
	uint32_t tried;  /* pages that were asked again with cookies, since that last helped */
	uint8_t probed;  /* host: pages that were asked for once more */
	bool varies;     /* host: its pages are the same with cookies only */
};

VEC_DECLARE(session_places, struct session_place);

/* Zero-initialise, then sessions_init. Fields are its own. */
struct sessions {
	struct strmap numbers; /* of hosts and directories: "example.org/a/" */
	struct session_places places;
	struct buf name;          /* scratch */
	uint32_t page;            /* that is probed */
	uint8_t step;             /* of that: enum step of sessions.c; 0: none */
	struct page_visit before; /* what the last probe showed */
};

void sessions_init(struct sessions *s);
void sessions_release(struct sessions *s);

/* Whether a request carries cookies, and whether the cookies of its response are kept. */
bool sessions_send(struct capture *c, const struct request *r, slice url);
bool sessions_keep(const struct request *r);

/*
 * A look at a page was read: whether the page is to be asked for again, now with cookies.
 * is_as_before: the revisit shows what the visit did.
 */
bool sessions_retry(struct capture *c, const struct plan_order *order, const struct attempt *a,
	bool is_as_before);

/* A page was visited: probes tell whether it is the same without cookies. */
int sessions_visited(struct capture *c, const struct arrival *p, struct err *err);

/* What the probe that is under way is compared with. */
int sessions_before(
	struct capture *c, struct page_visit *ret, bool *ret_has, struct err *err) SP_MUST_CHECK;
int sessions_looked(struct capture *c, const struct attempt *a, const struct page_visit *as_visit,
	struct err *err) SP_MUST_CHECK;
void sessions_dropped(struct capture *c);

/* ---- cookie gates ---- */

/*
 * Cookie gates: sites that send every visitor who has no cookie yet to another address, which sets
 * one and sends him back. What was asked for before is then only a redirect, and its links would
 * first be read at the revisit. So such a page is visited again, before the barrier:
 *
 *  (1) Redirects of visits are kept as steps, up to a limit.
 *  (2) When redirects lead back to where they began and one of them set a cookie, or when a
 * redirect that others lead to sets one, the pages that led there are visited again, once each. (3)
 * When that shows redirects all the same, three times, it is no gate, and ends.
 *
 * The second visit names the cookie in its purpose (COOKIE_GATE), which the report shows.
 */

enum {
	COOKIE_GATE_STEPS_MAX = 4096,
	COOKIE_GATE_USELESS_MAX = 3,
	COOKIE_GATE_LOOP_MAX = 20, /* redirects in a row */
	COOKIE_GATE_NAME_MAX = 40, /* bytes of a cookie's name that are kept */
};

/* A page redirects to another, or to itself. */
struct cookie_gate_step {
	uint32_t from, to;
	bool sets;  /* a cookie */
	bool again; /* from is or was visited again */
};

VEC_DECLARE(cookie_gate_steps, struct cookie_gate_step);

/* Zero-initialise. Fields are those of sessions.c. */
struct cookie_gate {
	struct cookie_gate_steps steps;
	uint32_t useless;
	char purpose[COOKIE_GATE_NAME_MAX + 16]; /* "cookie: NAME" */
};

void cookie_gate_release(struct cookie_gate *g);

/* A redirect of a visit was read; its target is known as a page, if it is one. */
int cookie_gate_redirected(struct capture *c, const struct plan_order *order,
	const struct url *target, struct err *err) SP_MUST_CHECK;

/* Whether a second visit is still wanted: it is none behind a gate, or gates do open. */
bool cookie_gate_allows(const struct capture *c, const struct plan_order *order);

/* The purpose of a second visit behind a gate, borrowed from it; empty for other orders. */
slice cookie_gate_purpose(const struct capture *c, const struct plan_order *order);

#endif
