#include "base/timestamp.h"

#include "base/err.h"
#include "tap.h"
#include "warc/warc_date.h"

static void test_ranges(void)
{
	/* First and last instant, as `date -u` has them. */
	static const struct {
		const char *digits, *first, *last;
	} ROWS[] = {
		{"2016", "2016-01-01T00:00:00.000000000Z", "2016-12-31T23:59:59.999999999Z"},
		{"201602", "2016-02-01T00:00:00.000000000Z", "2016-02-29T23:59:59.999999999Z"},
		{"201702", "2017-02-01T00:00:00.000000000Z", "2017-02-28T23:59:59.999999999Z"},
		{"20161", "2016-10-01T00:00:00.000000000Z", "2016-12-31T23:59:59.999999999Z"},
		{"2016013", "2016-01-30T00:00:00.000000000Z", "2016-01-31T23:59:59.999999999Z"},
		{"2016010203", "2016-01-02T03:00:00.000000000Z", "2016-01-02T03:59:59.999999999Z"},
		{"20160102030405", "2016-01-02T03:04:05.000000000Z",
			"2016-01-02T03:04:05.999999999Z"},
		{"20160102030405678", "2016-01-02T03:04:05.678000000Z",
			"2016-01-02T03:04:05.678999999Z"},
	};

	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
		char first[WARC_DATE_NS_SIZE], last[WARC_DATE_NS_SIZE];
		struct timestamp t = {0};

		CHECK_INT(timestamp_parse(slice_str(ROWS[i].digits), &t), 0);
		warc_date_format_ns(t.first, first);
		warc_date_format_ns(t.last, last);
		CHECK_STR(first, ROWS[i].first);
		CHECK_STR(last, ROWS[i].last);
	}
}

static const int64_t NOW = INT64_C(1700000000123456789);

/* The forms of one time: the last instant is the same however it is written. */
static void test_forms(void)
{
	static const struct {
		const char *text, *first, *last;
	} ROWS[] = {
		{"2026", "2026-01-01T00:00:00.000000000Z", "2026-12-31T23:59:59.999999999Z"},
		{"2026-02", "2026-02-01T00:00:00.000000000Z", "2026-02-28T23:59:59.999999999Z"},
		{"2026-11-18", "2026-11-18T00:00:00.000000000Z", "2026-11-18T23:59:59.999999999Z"},
		{"20261118", "2026-11-18T00:00:00.000000000Z", "2026-11-18T23:59:59.999999999Z"},
		{"2026-11-18T00:40", "2026-11-18T00:40:00.000000000Z",
			"2026-11-18T00:40:59.999999999Z"},
		{"2026-11-18 00:40:00", "2026-11-18T00:40:00.000000000Z",
			"2026-11-18T00:40:00.999999999Z"},
		{"2026-11-18t00:40:00z", "2026-11-18T00:40:00.000000000Z",
			"2026-11-18T00:40:00.999999999Z"},
		{"20261118004000", "2026-11-18T00:40:00.000000000Z",
			"2026-11-18T00:40:00.999999999Z"},
		{"2026-11-18T00:40:00.849Z", "2026-11-18T00:40:00.849000000Z",
			"2026-11-18T00:40:00.849000000Z"},
		{"20261118004000849", "2026-11-18T00:40:00.849000000Z",
			"2026-11-18T00:40:00.849999999Z"},
		{"2026-11-18T00:40:00.849123456Z", "2026-11-18T00:40:00.849123456Z",
			"2026-11-18T00:40:00.849123456Z"},
		{"2026-11-18T01:40:00+01:00", "2026-11-18T00:40:00.000000000Z",
			"2026-11-18T00:40:00.999999999Z"},
		{"2026-11-17T22:10-0230", "2026-11-18T00:40:00.000000000Z",
			"2026-11-18T00:40:59.999999999Z"},
		{"now", "2023-11-14T22:13:20.123456789Z", "2023-11-14T22:13:20.123456789Z"},
	};

	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
		char first[WARC_DATE_NS_SIZE], last[WARC_DATE_NS_SIZE];
		struct timestamp t = {0};

		tap_case("form: %s", ROWS[i].text);
		CHECK_INT(timestamp_read(slice_str(ROWS[i].text), NOW, &t), 0);
		warc_date_format_ns(t.first, first);
		warc_date_format_ns(t.last, last);
		CHECK_STR(first, ROWS[i].first);
		CHECK_STR(last, ROWS[i].last);
	}
}

static void test_no_forms(void)
{
	static const char *const TEXTS[] = {"", "noon", "Now", "202", "2026-", "2026-13", "2026-1",
		"2026-02-30", "2026-11-18T", "2026-11-18T24:00", "2026-11-18T00:60",
		"2026-11-18T00:40:", "2026-11-18T00:40:00.", "2026-11-18T00:40:00.1x",
		"2026-11-18Z", "2026-11-18T00:40+25:00", "2026-11-18T00:40+01", "2026-11-18 x",
		"2026/11/18", "-2026", "2026-11-18-01", "20261118T004000Z"};

	for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
		struct timestamp t;
		struct err err = {0};

		tap_case("no form: '%s'", TEXTS[i]);
		CHECK(timestamp_read(slice_str(TEXTS[i]), NOW, &t) != 0);
		CHECK_INT(timestamp_read_said(slice_str(TEXTS[i]), NOW, &t, &err), ERR_USAGE);
	}
}

/* Years that nanoseconds do not reach, with zones and fractions: before and behind all others. */
static void test_far_away(void)
{
	struct timestamp t = {0};

	CHECK_INT(timestamp_read(SLICE("1600-01-01T00:00:00.5-23:00"), NOW, &t), 0);
	CHECK(t.first == INT64_MIN && t.last == INT64_MIN);
	CHECK_INT(timestamp_read(SLICE("9999-12-31T23:59+00:00"), NOW, &t), 0);
	CHECK(t.first == INT64_MAX && t.last == INT64_MAX);
}

static void test_refused(void)
{
	static const struct {
		const char *digits;
		int code;
	} ROWS[] = {
		{"201", ERR_SYNTAX},
		{"201601020304056789", ERR_SYNTAX},
		{"2016x", ERR_SYNTAX},
		{"20161301", ERR_RANGE},
		{"20160230", ERR_RANGE},
		{"2016010125", ERR_RANGE},
		{"201600", ERR_RANGE},
	};

	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
		struct timestamp t;

		CHECK_INT(timestamp_parse(slice_str(ROWS[i].digits), &t), ROWS[i].code);
	}
}

static void test_format(void)
{
	char out[TIMESTAMP_SIZE];
	struct timestamp t;

	CHECK_INT(timestamp_parse(SLICE("20160102030405678"), &t), 0);
	timestamp_format(t.last, TIMESTAMP_SECONDS, out);
	CHECK_STR(out, "20160102030405");
	timestamp_format(t.last, TIMESTAMP_DIGITS_MAX, out);
	CHECK_STR(out, "20160102030405678");
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_ranges);
	test_forms();
	test_no_forms();
	TAP_RUN(test_far_away);
	TAP_RUN(test_refused);
	TAP_RUN(test_format);
	return tap_done();
}
