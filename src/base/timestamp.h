/*
 * Times as people and addresses write them, for all commands: 4 to 17 digits of YYYYMMDDhhmmssmmm,
 * 2026-11-18T13:09:03.849+01:00 or as much of it as is given, and "now". Without a zone they are in
 * UTC.
 *
 * What is left out makes a range: 2016 is all of that year, and a second all of its instants. Where
 * one instant is asked for, the LAST counts everywhere: "2026-11-18" is the state after that day.
 * Only the begin of a range (`from`) counts from the first. A fraction of a second behind a point
 * is exact.
 */
#ifndef BASE_TIMESTAMP_H
#define BASE_TIMESTAMP_H

#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
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

/* Any of the forms. now: what "now" means, ns. 0, ERR_SYNTAX, ERR_RANGE. */
int timestamp_read(slice text, int64_t now, struct timestamp *ret) SP_MUST_CHECK;

/* The same for what a user wrote: ERR_USAGE with a sentence. */
int timestamp_read_said(
	slice text, int64_t now, struct timestamp *ret, struct err *err) SP_MUST_CHECK;

/* 14 or 17 digits, rounded down. */
void timestamp_format(int64_t ns, unsigned digits, char out[TIMESTAMP_SIZE]);

#endif
