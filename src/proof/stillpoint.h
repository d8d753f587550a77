/*
 * The still point of a capture: the window from the end of its last visit to the start of its first
 * revisit, throughout which all its sharp pages are jointly valid. Found from all attempts of both
 * legs, failed ones included, since a server may have looked at the page for any of them. An
 * attempt that sent no request (the server is down, its name is unknown) was not seen by any
 * server: it bounds nothing.
 */
#ifndef PROOF_STILLPOINT_H
#define PROOF_STILLPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/clock.h"
#include "base/vec.h"
#include "warc/attempt.h"

/* Wall clock, ns; 0 while there was none. Zero-initialise. */
struct stillpoint {
	int64_t from;   /* end of the last visit */
	int64_t to;     /* start of the first revisit */
	bool clock_set; /* during the capture, by several processes (clock_watch.h): no date */
	double earlier,
		later; /* seconds by which the true times may differ; 0: they are not in doubt */
};

/* Takes an attempt into account, in any order; those of other legs change nothing. */
void stillpoint_add(struct stillpoint *s, enum attempt_leg leg, const struct attempt_times *wall);

/*
 * There are visits and revisits, all visits ended before the first revisit began, and the wall
 * clock was not set meanwhile.
 */
bool stillpoint_is_known(const struct stillpoint *s);

/* It is known, and lies within [from, to]. */
bool stillpoint_is_within(const struct stillpoint *s, int64_t from, int64_t to);

/*
 * As text, RFC 3339: rounded inwards to milliseconds, so that what is printed lies within every
 * interval that is printed with starts rounded down and ends rounded up. False, and nothing is
 * written, when it is not known or has no whole millisecond in it.
 */
bool stillpoint_format(
	const struct stillpoint *s, char ret_from[CLOCK_TEXT_SIZE], char ret_to[CLOCK_TEXT_SIZE]);

/*
 * The best instant: the one that most proven intervals contain, found afterwards (DESIGN, "What is
 * known about the planning problem", 6). A sweep over their ends, O(n log n). Pure.
 *
 * Ties: of several stretches of time with as many pages, the one nearest to the planned still
 * point wins, then the longest, then the earliest.
 */

/* An interval over which a page is proven; both ends belong to it. */
struct page_interval {
	uint32_t page;
	int64_t from, to; /* from ≤ to */
};

VEC_DECLARE(page_interval_vec, struct page_interval);

struct best_instant {
	int64_t from, to; /* every instant in between is as good; both belong to it */
	size_t proven;    /* pages */
};

/* When the still point was planned for; from > to: there was no plan. */
struct planned_instant {
	int64_t from, to;
};

/*
 * Sorts the list, and joins what overlaps of a page, so that each page counts once. False for an
 * empty list.
 */
bool best_instant_find(struct page_interval_vec *list, const struct planned_instant *planned,
	struct best_instant *ret_best);

#endif
