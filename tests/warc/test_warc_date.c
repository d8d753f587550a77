#include "warc/warc_date.h"

#include "base/clock.h"
#include "base/err.h"
#include "tap.h"

static void test_parse(void)
{
	static const struct {
		const char *text;
		int rc;
		int64_t seconds; /* by date -u +%s */
		int64_t ns;
	} rows[] = {
		{"2016-01-11T23:24:25.412030Z", 0, 1452554665, 412030000},
		{"2016-01-11T23:24:25Z", 0, 1452554665, 0},
		{"2016-01-11T23:24:25", 0, 1452554665, 0},
		{"2016-01-11t23:24:25z", 0, 1452554665, 0},
		{"2016-01-11T23:24Z", 0, 1452554640, 0},
		{"2016-01-11", 0, 1452470400, 0},
		{"2016-01", 0, 1451606400, 0},
		{"2016", 0, 1451606400, 0},
		{"20160111232425", 0, 1452554665, 0},
		{"2016-01-12T01:24:25+02:00", 0, 1452554665, 0},
		{"2016-01-11T18:24:25-0500", 0, 1452554665, 0},
		{"2016-01-11T18:24:25+99:99", ERR_SYNTAX, 0, 0},
		{"2016-01-11T18:24:25+24:00", ERR_SYNTAX, 0, 0},
		{"2016-01-11T18:24:25-05:60", ERR_SYNTAX, 0, 0},
		{"2016-01-11T23:24:25.123456789Z", 0, 1452554665, 123456789},
		{"2016-01-11T23:24:25.1234567899Z", 0, 1452554665, 123456789},
		{"2016-02-29", 0, 1456704000, 0},
		{"1969-12-31T23:59:59.5Z", 0, -1, 500000000},
		{"2015-02-29", ERR_RANGE, 0, 0},
		{"2016-13-01", ERR_RANGE, 0, 0},
		{"2016-01-11T24:00:00Z", ERR_RANGE, 0, 0},
		{"1678-01-01", 0, -9214560000, 0},
		{"1677-12-31T23:59:59Z", ERR_RANGE, 0, 0},
		{"2261-12-31T23:59:59Z", 0, 9214646399, 0},
		{"2262-01-01", ERR_RANGE, 0, 0},
		{"1600-01-01", ERR_RANGE, 0, 0},
		{"3000-01-01", ERR_RANGE, 0, 0},
		{"", ERR_SYNTAX, 0, 0},
		{"yesterday", ERR_SYNTAX, 0, 0},
		{"2016-1-11", ERR_SYNTAX, 0, 0},
		{"2016-01-11T23:24:25.Z", ERR_SYNTAX, 0, 0},
		{"2016-01-11T23:24:25Zx", ERR_SYNTAX, 0, 0},
		{"2016-01-11T", ERR_SYNTAX, 0, 0},
		{"201601112324", ERR_SYNTAX, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		int64_t ns = 7;

		tap_case("parse: '%s'", rows[i].text);
		CHECK_INT(warc_date_parse(slice_str(rows[i].text), &ns), rows[i].rc);
		CHECK_INT(ns, rows[i].rc ? 7 : rows[i].seconds * CLOCK_NS_PER_SECOND + rows[i].ns);
	}
}

static void test_format(void)
{
	char text[WARC_DATE_SIZE], digits[WARC_DATE_DIGITS_SIZE];
	int64_t ns = 1452554665 * CLOCK_NS_PER_SECOND + 412030999;

	warc_date_format(ns, text);
	CHECK_STR(text, "2016-01-11T23:24:25Z");
	warc_date_digits(ns, digits);
	CHECK_STR(digits, "20160111232425");
	warc_date_format(-1, text);
	CHECK_STR(text, "1969-12-31T23:59:59Z");
	warc_date_format(-CLOCK_NS_PER_SECOND, text);
	CHECK_STR(text, "1969-12-31T23:59:59Z");
	warc_date_format(0, text);
	CHECK_STR(text, "1970-01-01T00:00:00Z");
}

/* Rounded down also before 1970, and equal to what the text of it reads back as. */
static void test_truncate(void)
{
	static const int64_t SECONDS[] = {1452554665, 0, -1, -2};
	char text[WARC_DATE_SIZE];

	for (size_t i = 0; i < ARRAY_LEN(SECONDS); i++) {
		int64_t second = SECONDS[i] * CLOCK_NS_PER_SECOND, read = 7;

		CHECK_INT(warc_date_truncate(second), second);
		CHECK_INT(warc_date_truncate(second + 1), second);
		CHECK_INT(warc_date_truncate(second + CLOCK_NS_PER_SECOND - 1), second);
		warc_date_format(second + 999999999, text);
		CHECK_INT(warc_date_parse(slice_str(text), &read), 0);
		CHECK_INT(read, second);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_parse();
	TAP_RUN(test_format);
	TAP_RUN(test_truncate);
	return tap_done();
}
