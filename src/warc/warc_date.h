/*
 * Dates of WARC records (ISO 28500 §5.4 and Annex on W3C-DTF: "2016-01-11T23:24:25Z", perhaps with
 * fractions) and of index lines ("20160111232425"). In memory they are nanoseconds since 1970 in
 * UTC, as base/clock.h has them, so from 1677 to 2262.
 */
#ifndef WARC_WARC_DATE_H
#define WARC_WARC_DATE_H

#include <stdint.h>

#include "base/api.h"
#include "base/slice.h"

enum {
	WARC_DATE_SIZE = 21,        /* "2016-01-11T23:24:25Z" and the NUL */
	WARC_DATE_NS_SIZE = 31,     /* the same with nine digits behind a point */
	WARC_DATE_DIGITS_SIZE = 15, /* "20160111232425" and the NUL */
};

/*
 * Reads YYYY[-MM[-DD[Thh:mm[:ss[.f]]ZONE]]], where ZONE is Z, an offset like +02:00, or missing
 * (then UTC), and YYYYMMDDhhmmss; what is not said is the earliest it can be. 0, ERR_SYNTAX, or
 * ERR_RANGE for a day that is not there or a year that does not fit.
 */
int warc_date_parse(slice text, int64_t *ret_ns) SP_MUST_CHECK;

/*
 * Whole seconds, rounded down. Readers look for the record that a revisit refers to by its date,
 * and have only the fourteen digits of an index to compare it with. Cannot fail.
 */
void warc_date_format(int64_t ns, char out[WARC_DATE_SIZE]);

/* The same as a number: what warc_date_parse reads from that text. */
int64_t warc_date_truncate(int64_t ns);

/* With nanoseconds: nothing is lost. Cannot fail. */
void warc_date_format_ns(int64_t ns, char out[WARC_DATE_NS_SIZE]);

/* Fourteen digits, rounded down to the second. */
void warc_date_digits(int64_t ns, char out[WARC_DATE_DIGITS_SIZE]);

#endif
