/*
 * Timestamps of replay URLs: 4 to 17 digits of YYYYMMDDhhmmssmmm in UTC. What is left out makes a
 * range: 2016 is all of that year. As other tools do, `from` counts from its first instant, `to`
 * and replay from its last.
 */
#ifndef REPLAY_TIMESTAMP_H
#define REPLAY_TIMESTAMP_H

#include <stdint.h>

#include "base/api.h"
#include "base/slice.h"

enum {
	TIMESTAMP_DIGITS_MIN = 4,
	TIMESTAMP_SECONDS = 14, /* digits of whole seconds */
	TIMESTAMP_DIGITS_MAX = 17,
	TIMESTAMP_SIZE = 18, /* all digits and the NUL */
};

/* Both belong to it; ns since 1970, cut at what 64 bits can say (1677 to 2262). */
struct timestamp {
	int64_t first, last;
};

/* 0, ERR_SYNTAX for what is not 4 to 17 digits, ERR_RANGE for what no calendar has. */
int timestamp_parse(slice digits, struct timestamp *ret) SP_MUST_CHECK;

/* 14 or 17 digits, rounded down. */
void timestamp_format(int64_t ns, unsigned digits, char out[TIMESTAMP_SIZE]);

#endif
