#include "formats/http_date.h"

#include "base/clock.h"
#include "base/err.h"
#include "tap.h"

#define NOW (INT64_C(1780000000) * CLOCK_NS_PER_SECOND) /* 2026-05-28 */

/* The first three are RFC 9110's own; its 784111777 is what date -d says. So are the others. */
static void test_dates(void)
{
	static const struct {
		const char *text;
		int rc;
		int64_t seconds;
	} rows[] = {
		{"Sun, 06 Nov 1994 08:49:37 GMT", 0, 784111777},
		{"Sunday, 06-Nov-94 08:49:37 GMT", 0, 784111777},
		{"Sun Nov  6 08:49:37 1994", 0, 784111777},
		{"Thu, 01 Jan 1970 00:00:00 GMT", 0, 0},
		{"Wed, 31 Dec 1969 23:59:59 GMT", 0, -1},
		{"Tue, 29 Feb 2000 12:00:00 GMT", 0, 951825600},
		{"Thu Feb 29 23:59:60 2024", 0, 1709251200},
		{"Fri, 31 Dec 9999 23:59:59 GMT", 0, INT64_C(253402300799)},
		{"Mon, 01 Jan 0001 00:00:00 GMT", 0, INT64_C(-62135596800)},
		{"Saturday, 28-May-76 00:00:00 GMT", 0, INT64_C(3357849600)}, /* 2076 */
		{"Saturday, 28-May-77 00:00:00 GMT", 0, 233625600},           /* 1977 */
		{"Saturday, 01-Jan-00 00:00:00 GMT", 0, 946684800},
		{" sun,  6 NOV 1994  08:49:37 gmt\t", 0, 784111777},
		{"Sun,06 Nov 1994 08:49:37 UTC", 0, 784111777},
		{"Sun, 06 Nov 1994 08:49:37 +0000", 0, 784111777},
		{"Sun, 06-Nov-1994 08:49:37 GMT", 0, 784111777},
		{"Mon, 06 Nov 1994 08:49:37 GMT", 0, 784111777},
		{"", ERR_SYNTAX, 0},
		{"0", ERR_SYNTAX, 0},
		{"-1", ERR_SYNTAX, 0},
		{"Sun", ERR_SYNTAX, 0},
		{"Sun,", ERR_SYNTAX, 0},
		{"06 Nov 1994 08:49:37 GMT", ERR_SYNTAX, 0},
		{"Sun, 06 Nov 1994 08:49:37", ERR_SYNTAX, 0},
		{"Sun, 06 Nov 1994 08:49:37 CET", ERR_SYNTAX, 0},
		{"Sun, 06 Nov 1994 08:49:37 +0100", ERR_SYNTAX, 0},
		{"Sun, 06 Nov 1994 08:49 GMT", ERR_SYNTAX, 0},
		{"Sun, 06 Nov 1994 8:49:37 GMT", ERR_SYNTAX, 0},
		{"Sun, 06 Nov 94 08:49:37 GMT", ERR_SYNTAX, 0},
		{"Sun, 006 Nov 1994 08:49:37 GMT", ERR_SYNTAX, 0},
		{"Sun, 06 November 1994 08:49:37 GMT", ERR_SYNTAX, 0},
		{"Sun, 06 Nom 1994 08:49:37 GMT", ERR_SYNTAX, 0},
		{"Sun, 06 Nov 1994 08:49:37 GMT; x", ERR_SYNTAX, 0},
		{"Sun Nov  6 08:49:37 94", ERR_SYNTAX, 0},
		{"1994-11-06T08:49:37Z", ERR_SYNTAX, 0},
		{"Sun, 31 Nov 1994 08:49:37 GMT", ERR_RANGE, 0},
		{"Sun, 29 Feb 1900 08:49:37 GMT", ERR_RANGE, 0},
		{"Sun, 00 Nov 1994 08:49:37 GMT", ERR_RANGE, 0},
		{"Sun, 06 Nov 1994 25:49:37 GMT", ERR_RANGE, 0},
		{"Sun, 06 Nov 1994 08:60:37 GMT", ERR_RANGE, 0},
		{"Sun, 06 Nov 0000 08:49:37 GMT", ERR_RANGE, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int64_t seconds = 42;

		tap_case("dates: '%s'", rows[i].text);
		CHECK_INT(http_date_parse_seconds(slice_str(rows[i].text), NOW, &seconds),
			rows[i].rc);
		CHECK_INT(seconds, rows[i].rc ? 42 : rows[i].seconds);
	}
}

/* At the end of a century, years with small numbers are ahead. */
static void test_century(void)
{
	const int64_t in_1999 = INT64_C(930000000) * CLOCK_NS_PER_SECOND;
	int64_t seconds = 0;

	CHECK_INT(
		http_date_parse_seconds(SLICE("Monday, 01-Jan-01 00:00:00 GMT"), in_1999, &seconds),
		0);
	CHECK_INT(seconds, 978307200); /* 2001 */
	CHECK_INT(
		http_date_parse_seconds(SLICE("Friday, 01-Jan-99 00:00:00 GMT"), in_1999, &seconds),
		0);
	CHECK_INT(seconds, 915148800); /* 1999 */
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_dates();
	TAP_RUN(test_century);
	return tap_done();
}
