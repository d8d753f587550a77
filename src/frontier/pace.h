/*
 * Politeness towards one server: when the next request may start. Pure: times are seconds on the
 * caller's clock, which must not run backwards; no jitter.
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
 * way ten times its time leaves it nine tenths of a connection's worth of rest.
 */
#ifndef FRONTIER_PACE_H
#define FRONTIER_PACE_H

#include <stdbool.h>

#include "base/api.h"

/* All in seconds but the factor. */
#define PACE_AUTO_MIN        1.0
#define PACE_AUTO_FACTOR     10.0
#define PACE_AUTO_MAX        60.0
#define PACE_CRAWL_DELAY_MAX 300.0
#define PACE_RETRY_AFTER_MAX 3600.0
#define PACE_BACKOFF_FIRST   1.0
#define PACE_BACKOFF_MAX     300.0

enum { PACE_JOBS_MAX = 64 };

struct pace_rule {
	double delay;   /* fixed pause, at least 0; not used when automatic */
	bool automatic; /* the pause follows the response time */
	unsigned jobs;  /* requests at once, 1 to PACE_JOBS_MAX; 0 is 1 */
};

/* Fields are the pace's own. May be moved in memory. */
struct pace {
	struct pace_rule rule;
	unsigned busy;     /* requests under way */
	unsigned failures; /* in a row */
	double response;   /* seconds the last answer took */
	double crawl_delay;
	double backoff_until; /* no request before any of these two */
	double retry_until;
	double last_end; /* of the last request of any job */
	double *ends;    /* of the jobs that are free: jobs - busy of them; NULL for one job */
};

/* 0, or ERR_NOMEM, which cannot happen with one job: that needs no memory. */
int pace_init(struct pace *p, struct pace_rule rule) SP_MUST_CHECK;

/* Safe on a zeroed struct. */
void pace_release(struct pace *p);

/* The earliest time a request may start: -INFINITY for at once, INFINITY while no job is free. */
double pace_ready(const struct pace *p);

/* The present pause from the end of a request to the start of the next. */
double pace_delay(const struct pace *p);

/*
 * When the server may be asked again by anybody, one request having just ended: with the whole
 * pause, whatever the jobs. For those who share it (shared_pace.h).
 */
double pace_rest(const struct pace *p, double now);

/* A request starts; now must not be before pace_ready. */
void pace_begin(struct pace *p, double now);

/*
 * A request that was begun has ended. failed: there was no answer. One failure is an accident and
 * costs nothing; from the second in a row on, there is a back-off of PACE_BACKOFF_FIRST that
 * doubles each time up to PACE_BACKOFF_MAX, so that a dead host is not hammered. The next answer
 * ends it. response_seconds, from the request to the last byte, counts when it did not fail.
 */
void pace_end(struct pace *p, double now, double response_seconds, bool failed);

/* What robots.txt says; not a number, or not above 0: there is none. */
void pace_set_crawl_delay(struct pace *p, double seconds);

/*
 * The server asks at `now` to be left alone for so long; it gets PACE_RETRY_AFTER_MAX at most. The
 * latest end of several counts.
 */
void pace_retry_after(struct pace *p, double now, double seconds);

#endif
