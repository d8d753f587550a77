#include "formats/http_date.h"

#include "base/clock.h"
#include "base/err.h"
#include "tap.h"

/* 1999-12-31T23:57:59.5Z: RFC 9110's example is half a second less than two minutes ahead. */
#define NOW (INT64_C(946684679) * CLOCK_NS_PER_SECOND + CLOCK_NS_PER_SECOND / 2)

static void test_values(void)
{
	static const struct {
		const char *value;
		int rc;
		double seconds;
	} rows[] = {
		{"120", 0, 120},
		{"0", 0, 0},
		{" 7\t", 0, 7},
		{"1.5", 0, 1.5},
		{"-5", 0, 0},
		{"007", 0, 7},
		{"99999999999999999999999999", 0, RETRY_AFTER_MAX},
		{"1e999", 0, RETRY_AFTER_MAX},
		{"-1e999", 0, 0},
		{"Fri, 31 Dec 1999 23:59:59 GMT", 0, 119.5},
		{"Friday, 31-Dec-99 23:59:59 GMT", 0, 119.5},
		{"Fri Dec 31 23:59:59 1999", 0, 119.5},
		{"Fri, 31 Dec 1999 23:57:59 GMT", 0, 0},
		{"Thu, 01 Jan 1970 00:00:00 GMT", 0, 0},
		{"Fri, 31 Dec 9999 23:59:59 GMT", 0, RETRY_AFTER_MAX},
		{"", ERR_SYNTAX, 0},
		{"soon", ERR_SYNTAX, 0},
		{"nan", ERR_SYNTAX, 0},
		{"inf", ERR_SYNTAX, 0},
		{"120 s", ERR_SYNTAX, 0},
		{"120, 60", ERR_SYNTAX, 0},
		{"Fri, 32 Dec 1999 23:59:59 GMT", ERR_SYNTAX, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double seconds = 42;

		tap_case("values: '%s'", rows[i].value);
		CHECK_INT(retry_after_parse(slice_str(rows[i].value), NOW, &seconds), rows[i].rc);
		CHECK_NEAR(seconds, rows[i].rc ? 42 : rows[i].seconds, 1e-6);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_values();
	return tap_done();
}
