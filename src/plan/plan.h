/*
 * The planner: in which order to visit and revisit the pages of a site, so that as many as possible
 * are proven unchanged around one instant.
 *
 * A plan_run is one capture. It owns the legs, the barrier between them, what is in flight, retries
 * and late discoveries; it does no I/O, has no clock and calls nobody. The crawler drives it from
 * its event loop and the simulator from a loop in virtual time, with the same three calls:
 *
 *	plan_discovered   a page was found (seeds first; then links, in the order of the page)
 *	plan_next         what to download now: an order, nothing yet, or the end
 *	plan_done         how an order went, and when
 *
 * Several orders may be out at once. A link found in a page is reported between the order for that
 * page and its plan_done, or right after it; pages reported without another call in between are one
 * batch (that is what depth-first order needs to know). An offline plan is simply a run whose
 * discoveries all come before the first plan_next.
 *
 * Invariants:
 *   (1) No revisit is ordered before every visit is done or given up: the barrier. After it no
 *       visits; pages first found then, and those whose visit was put off, are downloaded at the
 *       end, in the leg PLAN_LATE.
 *   (2) A page is in flight at most once, and revisited only after a good visit.
 *   (3) The same calls with the same arguments give the same orders: a log of them, replayed into a
 *       fresh run, restores it. Replayed by plan_impose, it does so also when this planner
 *       would have ordered otherwise.
 *
 * Not thread-safe: one run belongs to one thread at a time. Nothing blocks.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "plan/survival.h"

/* A strategy is a visit order and a revisit order: a row of the table in order.c. */
struct plan_strategy {
	const char *name;
	const char *summary;                  /* one line, for people */
	const struct visit_order *visits;     /* opaque */
	const struct revisit_order *revisits; /* NULL: single visit */
	bool offline;                         /* wants all pages before the first plan_next */
	bool shared_slot;                     /* the papers let one page hold both slots 0 */
};

/*
 * Finds a strategy by its name. A name that exists only with a suffix (sharc-selective, solar,
 * stillpoint, sharc, hottest-middle) picks -offline when all pages are known, else -online.
 * NULL when there is none.
 */
const struct plan_strategy *plan_strategy_find(const char *name, bool all_known);

/* All strategies, in the order of the documentation; NULL past the last. */
const struct plan_strategy *plan_strategy_at(size_t i);

/*
 * What a limit is spent on when it is too small for a visit and a revisit of every page. Weights
 * say which pages matter; the aim says how many, and how often (docs/planning.md).
 */
enum plan_aim {
	PLAN_BALANCED, /* a page is revisited, rather than another one visited, when it is more
			* likely than not to be sharp */
	PLAN_SHARP,    /* as many sharp pages as possible: all that are visited are revisited */
	PLAN_COMPLETE, /* as many pages as possible; revisits with what is left */
};

/* By enum plan_aim, NULL past the last. */
extern const char *const PLAN_AIMS[];

struct plan_params {
	const struct plan_strategy *strategy;
	/*
	 * Expected time between two downloads; 0: learned from plan_done, and until then 1. Offline
	 * strategies plan before the first download, so they want to know it.
	 */
	double delay;
	double tau;        /* confidence of SOLAR and SHARC-threshold; 0: PLAN_TAU */
	uint32_t size;     /* estimated number of pages; 0: not known, estimated on the way */
	unsigned attempts; /* downloads of a page per leg before it is given up; 0: PLAN_ATTEMPTS */
	bool single;       /* only the visits of a visit-revisit strategy */
	bool fast;         /* no exact assignment, whatever the size */
	enum plan_aim aim; /* of a capture with a limit: plan_budget */
	/*
	 * Downloads in all; 0: no limit, or not known beforehand. Strategies that know all pages
	 * choose among them before the first download: the others count as failed, never asked.
	 */
	size_t downloads;
	unsigned orders; /* that a server may have at once; 0: any number */
	bool eager; /* servers do not wait for each other to begin, and the barrier waits for all */
	bool apart; /* plan_group is ignored: every page stands for itself */
};

#define PLAN_TAU 0.7
enum { PLAN_ATTEMPTS = 3 };

enum plan_leg {
	PLAN_VISIT,
	PLAN_REVISIT,
	PLAN_LATE,
};

struct plan_order {
	uint32_t page;
	enum plan_leg leg;
	unsigned attempt; /* 1 for the first */
	bool hopeless;    /* the plan has given this page up for the sake of the others */
	bool put_off;     /* not to be carried out but reported as PLAN_PUT_OFF at once: waiting for
			   * this server, or for its visit (plan_put_off_rest), would cost more
			   * sharp pages than it gives */
};

enum plan_step {
	PLAN_ORDER, /* *ret_order is to be carried out and reported by plan_done */
	PLAN_WAIT,  /* nothing until an order in flight is done, or plan_wake */
	PLAN_END,   /* the capture is complete */
};

enum plan_outcome {
	PLAN_OK,       /* observed (a 404 is an observation too) */
	PLAN_RETRY,    /* failed for now: tried again behind the other pages of its leg */
	PLAN_FAILED,   /* failed for good */
	PLAN_RETURNED, /* not carried out: ordered again, and no attempt is counted */
	PLAN_PUT_OFF,  /* a visit that would hold up the barrier: its page is downloaded once in the
			* leg PLAN_LATE; like PLAN_FAILED where there is none, and of other legs */
};

struct plan_run;

/* NULL with *err set on bad parameters or no memory. Free with plan_run_free (NULL-safe). */
struct plan_run *plan_run_new(const struct plan_params *params, struct err *err);
void plan_run_free(struct plan_run *run);

/*
 * A page was found. Page numbers are the caller's, dense from 0. A page that is known already is
 * left as it is. Returns 0, ERR_RANGE (invalid survival or weight) or ERR_NOMEM.
 */
int plan_discovered(struct plan_run *run, uint32_t page, struct survival survival, float weight);

/* The estimate of the number of pages, in place of that of the parameters; 0: not known. */
void plan_set_size(struct plan_run *run, uint32_t size);

/*
 * The page that will be discovered next under this number is on that server; without it, on server
 * 0. Servers are numbered from 0, densely. Each is asked at its own pace, all at the same time. 0,
 * ERR_STATE (known already), ERR_RANGE (more than PLAN_SERVERS_MAX) or ERR_NOMEM.
 *
 * Every server has its own order of visits and of revisits, and all share one barrier. A server
 * that needs less time than another begins its visits later, so that both end at the same time,
 * unless its pages lead to new ones. If some have ended and the last one would take longer than it
 * is worth, its remaining pages are put off (plan_order.put_off).
 */
enum { PLAN_SERVERS_MAX = 1 << 20 }; /* callers with more let some share a schedule */

int plan_place(struct plan_run *run, uint32_t page, uint32_t server);

/*
 * From now on a download of that server and the pause after it take so long. 0, ERR_RANGE (not
 * above 0, or the server's number) or ERR_NOMEM.
 */
int plan_pace(struct plan_run *run, uint32_t server, double delay);

/*
 * When plan_next should be asked again although nothing has happened: a server that was held back
 * may begin then. Infinite when there is none; valid until the next call.
 */
double plan_wake(const struct plan_run *run);

/*
 * More is known of a page now. Where the order of visits depends on rates or weights, a page that
 * waits for its visit gets another place in it; visits that are planned already, as by all offline
 * strategies after the first plan_next, stay as they are. Revisits are planned with what is known
 * at the barrier. 0, ERR_RANGE (invalid survival or weight), ERR_NOTFOUND (unknown page) or
 * ERR_NOMEM (then nothing has changed). Cost: O(pages) at most.
 */
int plan_update(struct plan_run *run, uint32_t page, struct survival survival, float weight);

/*
 * A page is worth its weight only together with these requisites: pages too, known or not. Several
 * calls for a page add up. Strategies that maximise expected weight (stillpoint) then maximise that
 * of whole groups; online, visits are ordered by what pages are worth for the groups told so far. A
 * requisite of more than 16 pages stands for itself, with its own weight; others count through
 * their pages only. 0, ERR_RANGE (a number that no page can have) or ERR_NOMEM.
 */
int plan_group(struct plan_run *run, uint32_t page, const uint32_t *requisites, size_t count);

/*
 * A page is no longer wanted: it gets no further orders. One that waits for its first download
 * counts as failed. An order that is out is reported by plan_done as ever and not repeated. 0 or
 * ERR_NOTFOUND (unknown page).
 */
int plan_withdraw(struct plan_run *run, uint32_t page);

/*
 * A page whose visit failed gets one more attempt, behind the other pages, unless the visits are
 * over. Others are left as they are. 0, ERR_NOTFOUND (unknown page) or ERR_NOMEM.
 */
int plan_retry(struct plan_run *run, uint32_t page);

/*
 * What to do at time now (the unit and zero are the caller's; it never runs backwards). Cost: see
 * docs/planning.md; the first call of an offline strategy and the first revisit plan the leg.
 * Without memory for a plan, pages are visited in the order of their discovery and revisited in
 * that of their visits; plan_error tells.
 */
enum plan_step plan_next(struct plan_run *run, double now, struct plan_order *ret_order);

/*
 * Instead of plan_next: the run gives this order, whatever it would have chosen, or none for NULL.
 * So a log of another planner can be replayed: what was ordered then stays ordered, and plan_next
 * goes on from there. A page that the run would have chosen is first in line afterwards. 0,
 * ERR_STATE for an order that breaks the invariants (unknown page, wrong leg or attempt, in flight
 * or done already), ERR_NOMEM.
 */
int plan_impose(struct plan_run *run, const struct plan_order *order, double now);

/* Whether plan_next gave this order and plan_done has not reported it yet: what plan_done needs. */
bool plan_is_out(const struct plan_run *run, const struct plan_order *order);

/* Reports an order that plan_next gave, with the times of its request and of its last byte. */
void plan_done(struct plan_run *run, const struct plan_order *order, enum plan_outcome outcome,
	double begin, double end);

/*
 * At most so many downloads may still begin, as far as anybody can tell at time now. True when the
 * aim wants the visits to end for it: call plan_end_visits. The revisits that are worth most come
 * first if there are more than that. Changes no order by itself, so it is not part of a log.
 * Cost: O(1) mostly, at times O(pages); among the revisits O(pages) when it is called first.
 */
bool plan_budget(struct plan_run *run, double now, double downloads);

/*
 * Hours without downloads are near: none may begin from `left` seconds on, for `closed` seconds;
 * then again for `open` seconds, and so on. pace: seconds that a download takes, with its pause. In
 * the unit of now. True when more weight is expected sharp if the visits end now, and those pages
 * are revisited before the hours are over: call plan_put_off_rest. Never with PLAN_COMPLETE.
 * Changes no order by itself, so it is not part of a log. Cost: O(1), once for each time that the
 * hours end O(pages log pages).
 */
struct plan_hours {
	double left, closed, open, pace;
};

bool plan_hours(struct plan_run *run, double now, const struct plan_hours *h);

/* Seconds until so many seconds have passed in which downloads may begin. */
double plan_hours_until(const struct plan_hours *h, double open);

/* From here on all visits are put off (plan_order.put_off): the revisits begin. */
void plan_put_off_rest(struct plan_run *run);

/* The visits end here (a time limit): pages not yet visited are given up, the revisits begin. */
void plan_end_visits(struct plan_run *run);

/* No further order; plan_next answers WAIT while orders are in flight, then END. */
void plan_cancel(struct plan_run *run);

/* How far it is. Pages are counted once, whatever the number of attempts. */
struct plan_progress {
	enum plan_leg leg;
	size_t known;
	size_t visited, revisited, late;
	size_t failed;  /* given up in their first leg, or put off and not downloaded since */
	size_t unasked; /* of these, those that were never carried out: their leg was cut */
	size_t wanted; /* visited pages that the aim would revisit, when plan_budget last counted */
	size_t in_flight;
	double size; /* the present estimate of the number of pages, known ones included */
};

struct plan_progress plan_progress(const struct plan_run *run);

/*
 * How many pages, or how much weight, would be sharp if the visits ended now and the page visited
 * last were revisited first, at the same pace; 0 behind the barrier. Cost: O(pages).
 */
double plan_expected(const struct plan_run *run, double now, bool weighted);

/* 0, or ERR_NOMEM when some planning had to be skipped for want of memory. */
int plan_error(const struct plan_run *run);

/*
 * How a limit of downloads is spent on known pages, visits + revisits <= downloads, and what may
 * be expected of it.
 */
struct plan_budgeting {
	const struct survival *survival; /* borrowed, as weight */
	const float *weight;             /* may be NULL */
	size_t n;
	double delay;
	size_t downloads;
	enum plan_aim aim;
	bool shared_slot; /* the innermost page is downloaded once, which counts as two here */
	bool fast;        /* no exact selection, whatever the size */
};

struct plan_share {
	size_t visits, revisits;
	double captured; /* weight that is visited */
	double sharp;    /* weight expected sharp */
	double bound;    /* what no choice of so many revisits can exceed */
};

/*
 * pages: n entries of the caller's, or NULL; gets the pages that are visited in the order of their
 * visits, those that are revisited last. 0 or ERR_NOMEM.
 */
int plan_share(const struct plan_budgeting *b, uint32_t *pages, struct plan_share *ret_share);

/*
 * An upper bound on the weighted number of sharp pages, sum w_i S_i(L_i), that any schedule can
 * expect on the intervals 0, 2, 4, ... times the delay, and what the planner's own solution of it
 * reaches. Exact for up to PLAN_EXACT_MAX pages unless fast; then bound and reached agree up to
 * rounding. Weights may be NULL. Returns 0 or ERR_NOMEM.
 */
enum { PLAN_EXACT_MAX = 5000 };

struct plan_limit {
	double bound;
	double reached;
};

int plan_limit(const struct survival *survival, const float *weight, size_t n, double delay,
	bool fast, struct plan_limit *ret_limit);

#endif
