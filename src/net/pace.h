/* How fast a server is asked; when two lanes ask it, together. */
#ifndef NET_PACE_H
#define NET_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* ---- the pace of a server ---- */

/*
 * Politeness towards one server: when the next request may start. Pure: times are seconds on the
 * caller's clock, which must not run backwards, and chance comes from the caller, too.
 *
 * Invariants:
 *  (1) Of every job, the next request starts no sooner than pace_delay after the end of the last.
 *  (2) There are never more than rule.jobs requests under way; and no more than one, with the pause
 *      between any two, as long as the server has a Crawl-delay: it asks for a pause between
 *      requests and knows nothing of jobs.
 *  (3) No request starts before the end of a Retry-After, or of a back-off after failures.
 *
 * The pause is the largest of: what the user says (a number of seconds, or automatic:
 * PACE_AUTO_FACTOR times the last response time, between PACE_AUTO_MIN and PACE_AUTO_MAX); the
 * Crawl-delay, up to PACE_CRAWL_DELAY_MAX. A server that is slow is under load or far away; either
 * way ten times its time leaves it nine tenths of a connection's worth of rest. An automatic pause
 * is doubled by every 429 or 503, and halved again by PACE_CALM answers in a row.
 *
 * A server that does not answer is one of two things. It may be down: then the back-off grows, and
 * after a while (pace_is_down) there is no point in holding up the capture for it. Or only some of
 * its pages fail: then its other pages must not pay. So after PACE_PROBE_FAILURES the caller should
 * ask for something that is known to be answered (pace_wants_probe); if it is, failures are those
 * of pages for PACE_ALIVE_SECONDS, and count no more.
 */

/* All in seconds but the factor. */
#define PACE_AUTO_MIN        1.0
#define PACE_AUTO_FACTOR     10.0
#define PACE_AUTO_MAX        60.0
#define PACE_CRAWL_DELAY_MAX 300.0
#define PACE_RETRY_AFTER_MAX 3600.0
#define PACE_BACKOFF_FIRST   1.0
#define PACE_BACKOFF_MAX     300.0
#define PACE_JITTER          0.5 /* a back-off is longer by up to this share of itself */
#define PACE_ALIVE_SECONDS   60.0
#define PACE_DOWN_AFTER      300.0 /* for callers without an opinion */

enum {
	PACE_JOBS_MAX = 64,
	PACE_PROBE_FAILURES = 4, /* without an answer, in a row */
	PACE_DOWN_FAILURES = 5,  /* the least from which a server can be down */
	PACE_STRAIN_MAX = 6,     /* doublings of an automatic pause: from 1 s to a minute */
	PACE_CALM = 10,          /* answers in a row that undo one of them */
};

/* How a request ended, as far as politeness goes. */
enum pace_outcome {
	PACE_ANSWERED,
	PACE_REFUSED, /* an answer that asks for less traffic: 429, 503 */
	PACE_FAILED,  /* no answer */
	PACE_UNKNOWN, /* it says nothing of the server */
};

struct pace_rule {
	double delay;   /* fixed pause, at least 0; not used when automatic */
	bool automatic; /* the pause follows the response time */
	unsigned jobs;  /* requests at once, 1 to PACE_JOBS_MAX; 0 is 1 */
};

/* Fields are the pace's own. May be moved in memory. */
struct pace {
	struct pace_rule rule;
	unsigned busy;     /* requests under way */
	unsigned failures; /* in a row, refusals included */
	unsigned silent;   /* in a row, without any answer */
	uint8_t strain;    /* doublings of the automatic pause */
	uint8_t calm;      /* answers since the last of them was added or undone */
	double failing_since;
	double alive_until; /* failures are not the server's until then */
	double response;    /* seconds the last answer took */
	double crawl_delay;
	double backoff_until; /* no request before any of these two */
	double retry_until;
	double last_end; /* of the last request of any job */
	double *ends;    /* of the jobs that are free: jobs - busy of them; NULL for one job */
	double begun;    /* the end that the last pace_begin took off them, for pace_undo */
};

void pace_init(struct pace *p, struct pace_rule rule);

/* Safe on a zeroed struct. */
void pace_release(struct pace *p);

/* The earliest time a request may start: -INFINITY for at once, INFINITY while no job is free. */
double pace_ready(const struct pace *p);

/* The present pause from the end of a request to the start of the next. */
double pace_delay(const struct pace *p);

/*
 * When the server may be asked again by anybody, one request having just ended: with the whole
 * pause, whatever the jobs. For those who share it (struct shared_pace).
 */
double pace_rest(const struct pace *p, double now);

/* A request starts; now must not be before pace_ready. */
void pace_begin(struct pace *p, double now);

/*
 * A request that was begun has ended. One failure is an accident and costs nothing; from the second
 * in a row on, and from the first refusal on, there is a back-off of PACE_BACKOFF_FIRST that
 * doubles each time up to PACE_BACKOFF_MAX, so that a dead host is not hammered. It is longer by
 * the share `chance` (uniform on [0, 1)) of PACE_JITTER, so that servers that failed together are
 * not asked together. The next answer ends it. response_seconds, from the request to the last byte,
 * counts when there was an answer.
 */
void pace_end(struct pace *p, double now, double response_seconds, enum pace_outcome outcome,
	double chance);

/* A request that was begun just now did not take place after all: nothing has happened. */
void pace_undo(struct pace *p);

/* So many requests had no answer that the next one should be for something that has one. */
bool pace_wants_probe(const struct pace *p);

/* Whether the last requests have failed, so that there is a back-off. */
bool pace_is_failing(const struct pace *p);

/* Whether all requests have failed for so many seconds, and PACE_DOWN_FAILURES of them at least. */
bool pace_is_down(const struct pace *p, double now, double seconds);

/* Another pause between requests from now on; the jobs stay. */
void pace_set_delay(struct pace *p, double delay, bool automatic);

/* What robots.txt says; not a number, or not above 0: there is none. */
void pace_set_crawl_delay(struct pace *p, double seconds);

/*
 * The server asks at `now` to be left alone for so long; it gets PACE_RETRY_AFTER_MAX at most. The
 * latest end of several counts.
 */
void pace_retry_after(struct pace *p, double now, double seconds);

/* ---- servers that several lanes ask ---- */

/*
 * A server that several lanes ask is paced by one clock: how many requests are under way in the
 * whole process, and when the next may start. As long as one lane alone knows a server, its own
 * pace is all that counts. For any thread; every call takes one lock for an instant.
 */

/* Seconds after which a lane looks again whether another's request has ended. */
#define SHARED_PACE_POLL 0.05

/* Seconds after which a lane that was refused each time goes before the others. */
#define SHARED_PACE_WAIT 1.0

struct shared_paces; /* all servers of the process; opaque */
struct shared_pace;  /* one of them; opaque */

/* Free when no lane is left; NULL is fine. */
struct shared_paces *shared_paces_new(void);
void shared_paces_free(struct shared_paces *all);

/* The entry of a server for one more lane; lasts as long as all of them do. */
struct shared_pace *shared_paces_join(struct shared_paces *all, slice server);

/*
 * A lane that may start a request by its own pace asks whether the others let it: true, and it is
 * counted as under way; or false, and *ret_when is when to ask again. jobs: requests at once. lane:
 * tells who asks. A lane that is busy all the time does not shut the others out: they ask only now
 * and then, and would find it busy each time.
 */
bool shared_pace_begin(
	struct shared_pace *p, const void *lane, double now, unsigned jobs, double *ret_when);

/* A request that was begun has ended; the next one, whoever's, starts no sooner than that. */
void shared_pace_end(struct shared_pace *p, double next);

/* Nobody's request starts before that: what the server asked for. */
void shared_pace_defer(struct shared_pace *p, double until);

#endif
