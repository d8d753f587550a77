/*
 * Looks at pages beyond the plan, and what they teach: probes of revisited pages, canaries, pages
 * that do not exist.
 */
#ifndef CRAWL_PROBING_H
#define CRAWL_PROBING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lists.h"
#include "base/vec.h"
#include "crawl/pages.h"
#include "warc/attempt.h"

struct answer;
struct arrival;
struct gist;
struct request;

/* ---- canaries ---- */

/*
 * Canaries: pages that are looked at again during the visits, to notice a change that touches many
 * pages at once while something can still be done about it. The simulated version is in
 * lab/histories/canaries.h.
 *
 *  (1) Now and then a page that was visited, and by its rate should not have changed since, is
 *      looked at again; once more when the visits are over.
 *  (2) If it differs, it is fetched again at once: if those two differ, too, it is noise.
 *  (3) After a change other pages of its group are looked at. When at least two have changed, and
 *      half of those that were looked at, the group is alarmed: a bulk change.
 *  (4) Before the barrier all pages of alarmed groups whose visits are older than the alarm are
 *      visited again. Of the visits the last usable one counts, so a failed one destroys nothing.
 *
 * A group is a directory, as rules are learned of (quality/place.h). Looks are probes, and count in
 * their budget; second visits are visits. The planner does not know of either: the barrier waits
 * for them as it does for robots.txt. There are no canaries under a limit of time or bytes.
 */

enum { CANARIES_GROUPS_MAX = 256 };

struct canary_group {
	uint64_t key; /* hash of its directory */
	uint32_t seen, changed;
	double changed_at; /* when the first change was seen, on the planner's clock */
	bool alarmed;
};

VEC_DECLARE(canary_groups, struct canary_group);

/* Zero-initialise. Fields are those of probing.c. */
struct canaries {
	struct u32_vec visited; /* pages that may be canaries */
	struct u32_vec looked;  /* pages that were */
	struct canary_groups groups;
	bool is_out;             /* one is being looked at */
	bool is_again;           /* the second time */
	struct page_visit first; /* what the first time showed */
	uint64_t suspect;        /* group to look at next; 0: any */
	bool had_last;           /* the look at the end of the visits was begun */
	bool was_closed;         /* the second visits were sent */
};

void canaries_release(struct canaries *k);

/* A usable visit was read and stored. */
int canaries_visited(struct capture *c, const struct arrival *p, struct err *err) SP_MUST_CHECK;

/* What a probe is compared with: the page's visit; of a second canary the first. */
int canaries_before(struct capture *c, const struct attempt *a, struct page_visit *ret,
	bool *ret_has, struct err *err) SP_MUST_CHECK;

/* A canary was looked at; as_visit: for comparing others with it; usable: it can be compared. */
int canaries_looked(struct capture *c, const struct attempt *a, const struct page_visit *as_visit,
	bool usable, struct err *err) SP_MUST_CHECK;

/* All visits are done: the last look, then the second visits; the barrier waits for both. */
int canaries_close(struct capture *c, struct err *err) SP_MUST_CHECK;

/* ---- probes ---- */

/*
 * Probes: further looks at pages, beside the plan. They have no verdict of their own, and never
 * bound the still point (docs/judgement.md, "Probes").
 *
 *	noise      a page that differs at its revisit is fetched two more times at once: what is
 *	           new each time varies by itself (proof/learning.h)
 *	variant    a page that is the same at its revisit is fetched with a fresh cookie jar
 *	language   the same with another Accept-Language
 *	session    a page that sets cookies is fetched again, without and with them (sessions.h)
 *	canary     a page that was visited is looked at again during the visits (probing.h)
 *
 * All probes together are at most PROBING_PERCENT of the capture's other requests for pages, or
 * PROBING_MIN; those about sessions, a few for each host, are not counted. They go through the same
 * queue as all requests, so politeness is kept. Those that were waiting when a process ended are
 * lost; the number of those that were made is in the catalog.
 */

enum {
	PROBING_PERCENT = 6,
	PROBING_MIN = 8,
	PROBING_KINDS_MAX = 1024, /* of pages that are told apart */
};

/* A kind of page (proof/page_kind.h) and of difference, and how many such pages were probed. */
struct probing_kind {
	uint64_t kind; /* hash */
	uint8_t pages;
};

VEC_DECLARE(probing_kinds, struct probing_kind);

/* Zero-initialise. Fields are those of probing.c. */
struct probing {
	uint64_t requests;         /* for pages in the plan, of all processes */
	uint32_t number;           /* of the last probe */
	uint32_t counts[PURPOSES]; /* made, or waiting */
	struct probing_kinds kinds;
};

void probing_release(struct probing *p);

/* A usable revisit was read and stored; is_same: it shows what the visit showed. */
int probing_revisited(
	struct capture *c, const struct arrival *p, bool is_same, struct err *err) SP_MUST_CHECK;

/* An attempt of an earlier process. */
void probing_restore(struct capture *c, const struct attempt *a);

/* Requests of the kinds REQUEST_LOOK and REQUEST_AGAIN: the function that requests.c calls. */
int probing_check(struct capture *c, size_t place, bool *ret_send, struct err *err) SP_MUST_CHECK;

/* For canaries: whether there may be one, urgent once a change was seen; and sending one. */
int probing_send_session(
	struct capture *c, uint32_t page, bool *ret_sent, struct err *err) SP_MUST_CHECK;

/* ---- pages that do not exist ---- */

/* The host answers something else than 404 to URLs that do not exist. */
bool probe_is_soft(const struct capture *c, uint32_t host);

/* The page has the text of such an answer. */
bool probe_matches(const struct capture *c, uint32_t page, const struct gist *gist);
void probe_mark(struct capture *c, uint32_t page);

/* A page was visited: after some of them, sends a probe to its host. */
int probe_visited(
	struct capture *c, uint32_t page, const struct net_fetch *f, struct err *err) SP_MUST_CHECK;
int probe_answered(struct capture *c, const struct answer *a, struct err *err) SP_MUST_CHECK;

/* ---- what probes teach ---- */

/* Learns from the probes of a capture that ends, and looks again at pages that differ. */
int learning_conclude(struct capture *c, struct err *err) SP_MUST_CHECK;

#endif
