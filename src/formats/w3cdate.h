/*
 * Dates as sites write them: W3C-DTF (the profile of ISO 8601 in
 * https://www.w3.org/TR/NOTE-datetime, which sitemaps and Atom use) and RFC 822/2822 (RSS, HTTP),
 * with the slips that are common and leave no doubt about what is meant.
 */
#ifndef FORMATS_W3CDATE_H
#define FORMATS_W3CDATE_H

#include <stdint.h>

#include "base/api.h"
#include "base/slice.h"

enum {
	W3CDATE_TEXT_MAX = 128, /* bytes of a date, blanks around it included */
	W3CDATE_YEAR_MIN = 1678,
	W3CDATE_YEAR_MAX = 2261, /* the years that fit into nanoseconds from 1970 as a whole */
};

/* How much of the date was written: the instant is the first of this unit. */
enum w3cdate_precision {
	W3CDATE_YEAR,
	W3CDATE_MONTH,
	W3CDATE_DAY,
	W3CDATE_MINUTE,
	W3CDATE_SECOND,
	W3CDATE_FRACTION,
};

struct w3cdate {
	int64_t ns; /* from 1970-01-01T00:00:00Z, as base/clock.h counts */
	enum w3cdate_precision precision;
};

/*
 * YYYY, YYYY-MM, YYYY-MM-DD, and with a time: Thh:mm, Thh:mm:ss, Thh:mm:ss.s…, and a zone: Z,
 * +hh:mm. Understood too: blanks around it; a blank or "t" for the "T"; "/" or "." or nothing for
 * "-"; one digit for month and day; hhmm, hhmmss; a comma for the point; zones as +hhmm, +hh,
 * "UTC", "GMT", or none, which is taken as UTC; a zone behind a day. 24:00 is the next day's start,
 * second 60 the next minute's. 0, ERR_SYNTAX, or ERR_RANGE for a day that no calendar has or a year
 * that does not fit; *ret is untouched then.
 */
int w3cdate_parse(slice text, struct w3cdate *ret) SP_MUST_CHECK;

/*
 * "Thu, 05 Jan 2017 13:34:51 +0100": the weekday may be missing or wrong, the year may have two
 * digits (RFC 2822 §4.3), the seconds may be missing; a zone must be there: ±hhmm, Z, or a name of
 * RFC 822. As above.
 */
int w3cdate_parse_rfc822(slice text, struct w3cdate *ret) SP_MUST_CHECK;

/* Either of them: feeds mix the two up. */
int w3cdate_parse_any(slice text, struct w3cdate *ret) SP_MUST_CHECK;

#endif
