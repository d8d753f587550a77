/*
 * HTTP-date after RFC 9110 §5.6.7, as in Last-Modified, Date, Expires and Retry-After, in its three
 * formats:
 *
 *	Sun, 06 Nov 1994 08:49:37 GMT		IMF-fixdate
 *	Sunday, 06-Nov-94 08:49:37 GMT		RFC 850
 *	Sun Nov  6 08:49:37 1994		asctime
 *
 * Understood too: blanks around it and several where one is due, names in any case, a day of one
 * digit, a year of four digits in RFC 850, "UTC" or "+0000" for "GMT", a wrong weekday. Nothing
 * else: what is used as evidence should not be guessed.
 */
#ifndef FORMATS_HTTP_DATE_H
#define FORMATS_HTTP_DATE_H

#include <stdint.h>

#include "base/api.h"
#include "base/slice.h"

enum {
	HTTP_DATE_TEXT_MAX = 128, /* bytes of a date, blanks around it included */
	HTTP_DATE_SIZE = 30,      /* of an IMF-fixdate and the NUL */
};

/* Writes an IMF-fixdate, rounded down to the second, whatever the locale. Cannot fail. */
void http_date_format(int64_t realtime_ns, char out[HTTP_DATE_SIZE]);

/*
 * Seconds from 1970; years 1 to 9999. now, in nanoseconds, says which century a year of two digits
 * is in: one that is more than 50 years ahead is in the past. 0, ERR_SYNTAX, or ERR_RANGE for a day
 * that no calendar has; *ret_seconds is untouched then.
 */
int http_date_parse_seconds(slice text, int64_t now_ns, int64_t *ret_seconds) SP_MUST_CHECK;

/* The Retry-After field, RFC 9110 §10.2.3: for how long a server wants to be left alone. */

/* Longer times are given as this one; whoever uses it will have a smaller maximum. */
#define RETRY_AFTER_MAX 1e9

/*
 * Seconds from now, at least 0 (also for a date that is past): a number, of which some servers send
 * fractions, or an HTTP-date. 0 or ERR_SYNTAX; *ret_seconds is untouched then.
 */
int retry_after_parse(slice value, int64_t now_realtime_ns, double *ret_seconds) SP_MUST_CHECK;

#endif
