#include "replay/timestamp.h"

#include "archive/warc_date.h"
#include "base/err.h"
#include "tap.h"

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
	TAP_RUN(test_refused);
	TAP_RUN(test_format);
	return tap_done();
}
