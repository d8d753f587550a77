/* What a capture has done so far, its limits and its progress. */
#ifndef CRAWL_LIMIT_H
#define CRAWL_LIMIT_H

#include "base/api.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crawl/crawl.h"

/* ---- counters ---- */

/*
 * What a capture has done so far, in numbers, and what follows from them for its limits: when the
 * visits must end, and how long a slow response may hold up the others. Times are seconds on the
 * planner's clock.
 */

/* Fields are for the files of this room; those of the visits are set by counters_add_visit. */
struct counters {
	uint64_t budget;         /* bytes that may still be received, with --max-bytes */
	double idle;             /* seconds in which no process ran: they do not count as time */
	int64_t last_sent;       /* the last request of an earlier process; wall, ns; 0: none */
	double last_change;      /* when a request last began or ended */
	size_t requests;         /* for pages, ended in this process */
	size_t visits;           /* ended in this process, each attempt but slow ones */
	uint64_t visit_bytes;    /* of them */
	double visit_seconds;    /* of them all together */
	double first_visit;      /* when it began */
	double last_visit;       /* when it ended */
	double serial;           /* seconds of them all, with the pauses, one after the other */
	double held_up;          /* seconds of slow attempts since the first of them */
	size_t revisited, sharp; /* pages */
	double expected;         /* of those revisited: sharp pages expected */
	double expected_soon;    /* if the revisits began now; computed again at expected_at */
	double expected_at;
	struct crawl_progress in_sum; /* what the lane's sum has of it */
};

/* An attempt at a visit that has ended. */
struct counted_visit {
	double begin, end;
	uint64_t bytes;
	double delay; /* until its server may be asked again */
	unsigned jobs;
	bool slow; /* it was ended since it held up the others: no measure of their pace */
};

/* max_bytes: 0 for no limit. */
void counters_init(struct counters *p, uint64_t max_bytes);

/* Bytes were received by an earlier process. */
void counters_spend(struct counters *p, uint64_t bytes);

void counters_add_visit(struct counters *p, const struct counted_visit *visit);

/* A page was revisited; expected: how probable it was that it would not have changed. */
void counters_add_revisit(struct counters *p, double expected, bool is_sharp);

/* Time that counts towards the limit. */
double counters_elapsed(const struct counters *p, double now);

/*
 * Seconds until the revisits of so many pages must begin if they are to end within the time limit
 * (seconds), at the pace so far; INFINITY when that is not known. Servers that were visited side by
 * side may be revisited one after the other, so a page counts at least as much as its download and
 * the pause after it. The time of slow attempts, ended or under way, says nothing about the pace.
 */
double counters_time_to_spare(const struct counters *p, double now, double limit, size_t pages);

/* How many downloads fit into the rest of it; infinite before the first visit has ended. */
double counters_time_left(const struct counters *p, double now, double limit);

/* The same for what is left of the bytes. */
double counters_bytes_left(const struct counters *p);

/*
 * Seconds for which a slow fetch may be all that happens: a few times what downloads take, or a
 * tenth of what the visits have taken; with a time limit (0: none) no more than a part of what is
 * left of it, or a few times what downloads take. When all slow fetches together have had half of
 * the limit, each gets a second, or a twentieth of the limit.
 */
double counters_patience(const struct counters *p, double now, double limit);

/* ---- limits and progress ---- */

/* Checks the limits of time and of bytes, and ends visits or all if needed. */
int limit_check(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Seconds until it must be called again; infinite without a limit. */
double limit_wait(const struct capture *c);

/* Its progress; alone: it is the only capture, so expected is computed before the revisits. */
struct crawl_progress limit_progress(struct capture *c, bool alone);

/* Whether the revisits must begin now, or there will be no time for them all. */
bool limit_wants_revisits(const struct capture *c);

#endif
