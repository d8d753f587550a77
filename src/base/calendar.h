/* From a date of the Gregorian calendar in UTC to seconds: what all readers of dates end in. */
#ifndef BASE_CALENDAR_H
#define BASE_CALENDAR_H

#include <stdint.h>

#include "base/api.h"

struct calendar_time {
	unsigned year;
	unsigned month, day; /* from 1 */
	unsigned hour, minute, second;
};

/*
 * Seconds from 1970-01-01T00:00:00Z. 24:00:00 is the next day's start, second 60 the next minute's.
 * 0, or ERR_RANGE for what no calendar has, and for years outside 1 to 9999.
 */
int calendar_seconds(const struct calendar_time *t, int64_t *ret_seconds) SP_MUST_CHECK;

/* The year in UTC of a time in such seconds. */
int64_t calendar_year(int64_t seconds);

#endif
