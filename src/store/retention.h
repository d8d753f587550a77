/*
 * Which versions of a page are kept, by their age: rules as text, and their application. Pure.
 *
 *	all:30d,7d:1y,30d	every version for 30 days, then one for every 7 days up to a year,
 *				then one for every 30 days, for ever
 *
 * A rule is a list of steps. A step is `all` or a period, then a colon and the age up to which it
 * holds; the last may have no age. Behind the last age nothing is kept, except that the newest
 * version of a page is never given up. Durations are those of all options, and weeks (w) and years
 * of 365 days (y). Periods are counted from 1970, so that they are the same whenever this is done;
 * of each the version that was seen last is kept.
 */
#ifndef STORE_RETENTION_H
#define STORE_RETENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum { RETENTION_STEPS_MAX = 16 };

struct retention_step {
	int64_t period; /* ns; 0: all */
	int64_t until;  /* age, ns; INT64_MAX: for ever */
};

struct retention {
	struct retention_step steps[RETENTION_STEPS_MAX];
	size_t count;
};

/* 0, or ERR_SYNTAX with a sentence. */
int retention_parse(slice text, struct retention *ret, struct err *err) SP_MUST_CHECK;

/* seen: when each version of a page was seen last (ns), in this order; fills keep. */
void retention_choose(
	const struct retention *r, int64_t now, const int64_t *seen, size_t count, bool *keep);

#endif
