/*
 * Whether the cookies of a site are sent back to it. A session makes what a page shows depend on
 * what was asked for before: the trail of a wiki, the cart of a shop. So each page is asked for as
 * by somebody who comes for the first time. Cookies are sent only where
 *
 *  (1) the user gave them, or a login;
 *  (2) the page fails without them: it is refused, blocked, or redirected to where we were already,
 *      or back to itself (cookie_gate.h). Asked again with the cookies that the site has set by
 *      then, it answers;
 *  (3) pages of its directory or host were of that kind, and none was not;
 *  (4) pages of its host show something else each time without cookies, and the same with them.
 *      Pages that set cookies are asked for once more, as probes of the purpose "session".
 *
 * The revisit of a page is sent as its visit was. The purpose of looks with cookies is "cookies".
 * All of this is forgotten with the jar when a process ends, and learned anew.
 */
#ifndef CRAWL_SESSIONS_H
#define CRAWL_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/hash.h"
#include "crawl/pages.h"

#define SESSIONS_COOKIES "cookies" /* purpose of looks that were sent with cookies */
#define SESSIONS_PROBE   "session" /* purpose of probes with and without */

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

#endif
