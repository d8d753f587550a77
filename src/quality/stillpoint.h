/*
 * The still point of a capture: the window from the end of its last visit to the start of its first
 * revisit, throughout which all its sharp pages are jointly valid. Found from all attempts of both
 * legs, failed ones included, since a server may have looked at the page for any of them. An
 * attempt that sent no request (the server is down, its name is unknown) was not seen by any
 * server: it bounds nothing.
 */
#ifndef QUALITY_STILLPOINT_H
#define QUALITY_STILLPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/attempt.h"
#include "base/clock.h"

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

#endif
