#include "formats/w3cdate.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/err.h"
#include "tap.h"

struct row {
	const char *label;
	const char *text;
	const char *want; /* as clock_format prints it, or "" for ERR_SYNTAX, "-" for ERR_RANGE */
	enum w3cdate_precision precision;
};

static void check(const struct row *row, int (*parse)(slice, struct w3cdate *))
{
	struct w3cdate date = {.ns = 42};
	int rc = parse(slice_str(row->text), &date);
	char text[CLOCK_TEXT_SIZE];

	if (row->want[0] == '\0' || row->want[0] == '-') {
		CHECK_INT(rc, row->want[0] ? ERR_RANGE : ERR_SYNTAX);
		CHECK_INT(date.ns, 42);
		return;
	}
	if (!CHECK_INT(rc, 0))
		return;
	clock_format(date.ns, CLOCK_ROUND_DOWN, text);
	CHECK_STR(text, row->want);
	CHECK_INT(date.precision, row->precision);
}

static void check_w3c(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		tap_case("w3c: %s", rows[i].label);
		check(&rows[i], w3cdate_parse);
		tap_case("w3c: %s, as any", rows[i].label);
		check(&rows[i], w3cdate_parse_any);
	}
}

static void test_w3c(void)
{
	static const struct row rows[] = {
		/* The six forms of the note, with its own examples. */
		{"year", "1997", "1997-01-01T00:00:00.000Z", W3CDATE_YEAR},
		{"month", "1997-07", "1997-07-01T00:00:00.000Z", W3CDATE_MONTH},
		{"day", "1997-07-16", "1997-07-16T00:00:00.000Z", W3CDATE_DAY},
		{"minute", "1997-07-16T19:20+01:00", "1997-07-16T18:20:00.000Z", W3CDATE_MINUTE},
		{"second", "1997-07-16T19:20:30+01:00", "1997-07-16T18:20:30.000Z", W3CDATE_SECOND},
		{"fraction", "1997-07-16T19:20:30.45+01:00", "1997-07-16T18:20:30.450Z",
			W3CDATE_FRACTION},
		{"west", "1994-11-05T08:15:30-05:00", "1994-11-05T13:15:30.000Z", W3CDATE_SECOND},
		{"Z", "1994-11-05T13:15:30Z", "1994-11-05T13:15:30.000Z", W3CDATE_SECOND},
		{"many digits", "1994-11-05T13:15:30.1239999999999999Z", "1994-11-05T13:15:30.123Z",
			W3CDATE_FRACTION},
		/* Slips. */
		{"blanks", "\n\t 2014-06-03 \r\n", "2014-06-03T00:00:00.000Z", W3CDATE_DAY},
		{"no zone", "2014-06-03T10:30:45", "2014-06-03T10:30:45.000Z", W3CDATE_SECOND},
		{"blank for T", "2014-06-03 10:30:45", "2014-06-03T10:30:45.000Z", W3CDATE_SECOND},
		{"SQL with zone", "2014-06-03 10:30:45+02", "2014-06-03T08:30:45.000Z",
			W3CDATE_SECOND},
		{"zone without colon", "2014-06-03T10:30:45-0230", "2014-06-03T13:00:45.000Z",
			W3CDATE_SECOND},
		{"zone behind a blank", "2014-06-03 10:30:45 +0200", "2014-06-03T08:30:45.000Z",
			W3CDATE_SECOND},
		{"zone by name", "2014-06-03 10:30:45 UTC", "2014-06-03T10:30:45.000Z",
			W3CDATE_SECOND},
		{"small letters", "2014-06-03t10:30:45z", "2014-06-03T10:30:45.000Z",
			W3CDATE_SECOND},
		{"comma", "2014-06-03T10:30:45,5Z", "2014-06-03T10:30:45.500Z", W3CDATE_FRACTION},
		{"slashes", "2014/06/03", "2014-06-03T00:00:00.000Z", W3CDATE_DAY},
		{"points", "2014.06.03", "2014-06-03T00:00:00.000Z", W3CDATE_DAY},
		{"one digit", "2014-6-3", "2014-06-03T00:00:00.000Z", W3CDATE_DAY},
		{"basic format", "20140603T103045Z", "2014-06-03T10:30:45.000Z", W3CDATE_SECOND},
		{"digits only", "20140603", "2014-06-03T00:00:00.000Z", W3CDATE_DAY},
		{"day with a zone", "2014-06-03+02:00", "2014-06-02T22:00:00.000Z", W3CDATE_DAY},
		{"day with Z", "2014-06-03Z", "2014-06-03T00:00:00.000Z", W3CDATE_DAY},
		{"leap second", "2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z", W3CDATE_SECOND},
		{"24:00", "2016-12-31T24:00Z", "2017-01-01T00:00:00.000Z", W3CDATE_MINUTE},
		{"before 1970", "1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500Z",
			W3CDATE_FRACTION},
		{"leap day", "2000-02-29", "2000-02-29T00:00:00.000Z", W3CDATE_DAY},
	};

	check_w3c(rows, ARRAY_LEN(rows));
}

static void test_no_dates(void)
{
	static const struct row rows[] = {
		{"empty", "", "", 0},
		{"blanks only", "  ", "", 0},
		{"a word", "yesterday", "", 0},
		{"three digits", "199", "", 0},
		{"five digits", "19970", "", 0},
		{"six digits", "199707", "", 0},
		{"nine digits", "201406031", "", 0},
		{"T and nothing", "2014-06-03T", "", 0},
		{"hour only", "2014-06-03T10", "", 0},
		{"month with a time", "2014-06T10:00", "", 0},
		{"no number after a colon", "2014-06-03T10:30:", "", 0},
		{"no number after a point", "2014-06-03T10:30:45.Z", "", 0},
		{"mixed separators", "2014-06/03", "", 0},
		{"text behind", "2014-06-03 or so", "", 0},
		{"zone of one digit", "2014-06-03T10:30:45+2", "", 0},
		{"zone of three digits", "2014-06-03T10:30:45+020", "", 0},
		{"zone of 24 hours", "2014-06-03T10:30:45+24:00", "", 0},
		{"zeros", "0000-00-00", "-", 0},
		{"13th month", "2014-13-01", "-", 0},
		{"no leap year", "1900-02-29", "-", 0},
		{"31 June", "2014-06-31", "-", 0},
		{"hour 25", "2014-06-03T25:00Z", "-", 0},
		{"24:01", "2014-06-03T24:01Z", "-", 0},
		{"minute 60", "2014-06-03T10:60Z", "-", 0},
		{"second 61", "2014-06-03T10:30:61Z", "-", 0},
		/* Limits. */
		{"first year", "1678", "1678-01-01T00:00:00.000Z", W3CDATE_YEAR},
		{"before it", "1677", "-", 0},
		{"last second", "2261-12-31T23:59:59Z", "2261-12-31T23:59:59.000Z", W3CDATE_SECOND},
		{"after it", "2262", "-", 0},
	};

	check_w3c(rows, ARRAY_LEN(rows));
}

static void test_rfc822(void)
{
	static const struct row rows[] = {
		{"full", "Thu, 05 Jan 2017 13:34:51 +0100", "2017-01-05T12:34:51.000Z",
			W3CDATE_SECOND},
		{"HTTP", "Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z",
			W3CDATE_SECOND},
		{"RFC 850", "Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37.000Z",
			W3CDATE_SECOND},
		{"no weekday", "5 Jan 2017 13:34:51 +0100", "2017-01-05T12:34:51.000Z",
			W3CDATE_SECOND},
		{"two digits", "05 Jan 49 13:34:51 Z", "2049-01-05T13:34:51.000Z", W3CDATE_SECOND},
		{"two digits, old", "05 Jan 50 13:34:51 Z", "1950-01-05T13:34:51.000Z",
			W3CDATE_SECOND},
		{"three digits", "05 Jan 117 13:34:51 Z", "2017-01-05T13:34:51.000Z",
			W3CDATE_SECOND},
		{"no seconds", "Thu, 05 Jan 2017 13:34 EST", "2017-01-05T18:34:00.000Z",
			W3CDATE_MINUTE},
		{"long names", "Thursday, 05 January 2017 13:34:51 PDT", "2017-01-05T20:34:51.000Z",
			W3CDATE_SECOND},
		{"no comma", "Thu 05 Jan 2017 13:34:51 UT", "2017-01-05T13:34:51.000Z",
			W3CDATE_SECOND},
		{"no zone", "05 Jan 17 13:34:55", "", 0},
		{"unknown zone", "05 Jan 17 13:34:55 XYZ", "", 0},
		{"unknown month", "05 Foo 17 13:34:55 GMT", "", 0},
		{"no time", "05 Jan 2017", "", 0},
		{"text behind", "05 Jan 17 13:34:55 GMT (about)", "", 0},
		{"30 February", "30 Feb 2017 13:34:55 GMT", "-", 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("rfc822: %s", rows[i].label);
		check(&rows[i], w3cdate_parse_rfc822);
		tap_case("rfc822: %s, as any", rows[i].label);
		check(&rows[i], w3cdate_parse_any);
	}
}

static void test_longest(void)
{
	char text[W3CDATE_TEXT_MAX + 2];
	struct w3cdate date;

	(void)snprintf(text, sizeof text, "%-*s", W3CDATE_TEXT_MAX + 1, "2014");
	CHECK_INT(w3cdate_parse((slice){text, W3CDATE_TEXT_MAX}, &date), 0);
	CHECK_INT(w3cdate_parse((slice){text, W3CDATE_TEXT_MAX + 1}, &date), ERR_SYNTAX);
}

/* Every day of the range is one day after the one before: the calendar has no gap. */
static void test_every_day(void)
{
	int64_t last = 0;
	unsigned days = 0;

	for (unsigned y = W3CDATE_YEAR_MIN; y <= W3CDATE_YEAR_MAX; y++) {
		for (unsigned md = 101; md <= 1231; md++) {
			char text[40];
			struct w3cdate date;

			(void)snprintf(text, sizeof text, "%04u%04u", y, md);
			if (w3cdate_parse(slice_str(text), &date))
				continue;
			if (days++ && !CHECK_INT(date.ns - last, 86400 * CLOCK_NS_PER_SECOND))
				return;
			last = date.ns;
		}
	}
	/* 584 years: 146 that are multiples of 4, less 1700, 1800, 1900, 2100 and 2200. */
	CHECK_INT(days, 584 * 365 + 141);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_w3c();
	test_no_dates();
	test_rfc822();
	TAP_RUN(test_longest);
	TAP_RUN(test_every_day);
	return tap_done();
}
