/* Set-Cookie fields, cookie dates and lines of cookie files, taken apart. */
#include "net/cookie.h"

#include "base/err.h"
#include "tap.h"

#define NOW INT64_C(1000000000)

/* Dates: RFC 6265, section 5.1.1; the first three are the forms of RFC 9110, section 5.6.7. */
static const struct {
	const char *text;
	int64_t want; /* -1: none */
} DATES[] = {
	{"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
	{"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
	{"Sun Nov  6 08:49:37 1994", 784111777},
	{"6 nov 1994 8:49:37", 784111777},
	{"1994 08:49:37 November 6th", 784111777},
	{"06-Nov-69 00:00:00", 3150921600}, /* 2069 */
	{"06-Nov-70 00:00:00", 26697600},
	{"Sun, 06 Nov 1994 24:00:00 GMT", -1},
	{"Sun, 06 Nov 1994 08:60:37 GMT", -1},
	{"Sun, 32 Nov 1994 08:49:37 GMT", -1},
	{"Sun, 06 Nov 1600 08:49:37 GMT", -1},
	{"Sun, 06 Nov 1994", -1},
	{"06 1994 08:49:37", -1},
	{"", -1},
	{"tomorrow", -1},
};

static const struct {
	const char *label, *text;
	const char *name, *value, *domain, *path; /* name NULL: to be ignored */
	int64_t expires;
	bool secure, for_subdomains;
} FIELDS[] = {
	{"a pair", "a=b", "a", "b", "", "", COOKIE_FOREVER, false, false},
	{"blanks", " a = b c ; x", "a", "b c", "", "", COOKIE_FOREVER, false, false},
	{"an empty value", "a=", "a", "", "", "", COOKIE_FOREVER, false, false},
	{"equal signs", "a=b=c=", "a", "b=c=", "", "", COOKIE_FOREVER, false, false},
	{"quotes stay", "a=\"b\"", "a", "\"b\"", "", "", COOKIE_FOREVER, false, false},
	{"all attributes", "a=b; Domain=.Example.org; PATH=/x; Secure; HttpOnly; Max-Age=10", "a",
		"b", "Example.org", "/x", NOW + 10, true, true},
	{"Expires", "a=b; expires=Sun, 06 Nov 1994 08:49:37 GMT", "a", "b", "", "", 784111777,
		false, false},
	{"Max-Age goes before Expires", "a=b; Max-Age=5; Expires=Sun, 06 Nov 1994 08:49:37 GMT",
		"a", "b", "", "", NOW + 5, false, false},
	{"Max-Age of the past", "a=b; Max-Age=-1", "a", "b", "", "", 0, false, false},
	{"Max-Age without end", "a=b; Max-Age=99999999999999999999999", "a", "b", "", "",
		COOKIE_FOREVER, false, false},
	{"Max-Age that is none", "a=b; Max-Age=1x", "a", "b", "", "", COOKIE_FOREVER, false, false},
	{"the last path counts", "a=b; Path=/x; Path=y", "a", "b", "", "", COOKIE_FOREVER, false,
		false},
	{"no equal sign", "a; b=c", NULL, NULL, NULL, NULL, 0, false, false},
	{"no name", "=b", NULL, NULL, NULL, NULL, 0, false, false},
	{"a control character", "a=b\x01", NULL, NULL, NULL, NULL, 0, false, false},
	{"nothing", "", NULL, NULL, NULL, NULL, 0, false, false},
};

static const struct {
	const char *label, *line;
	int rc;
	const char *domain, *name, *value;
	int64_t expires;
	bool secure, for_subdomains;
} LINES[] = {
	{"a host's own", "example.org\tFALSE\t/\tFALSE\t0\ta\tb", 0, "example.org", "a", "b",
		COOKIE_FOREVER, false, false},
	{"a domain's", ".example.org\tTRUE\t/\tTRUE\t123\ta\tb\r", 0, "example.org", "a", "b", 123,
		true, true},
	{"HttpOnly", "#HttpOnly_x.org\tFALSE\t/\tFALSE\t0\ta\tb", 0, "x.org", "a", "b",
		COOKIE_FOREVER, false, false},
	{"no value", "x.org\tFALSE\t/\tFALSE\t0\ta\t", 0, "x.org", "a", "", COOKIE_FOREVER, false,
		false},
	{"no value and no tab", "x.org\tFALSE\t/\tFALSE\t0\ta", 0, "x.org", "a", "", COOKIE_FOREVER,
		false, false},
	{"a comment", "# Netscape HTTP Cookie File", ERR_END, NULL, NULL, NULL, 0, false, false},
	{"an empty line", "", ERR_END, NULL, NULL, NULL, 0, false, false},
	{"too few fields", "x.org\tFALSE\t/\tFALSE\t0", ERR_SYNTAX, NULL, NULL, NULL, 0, false,
		false},
	{"a path that is none", "x.org\tFALSE\tx\tFALSE\t0\ta\tb", ERR_SYNTAX, NULL, NULL, NULL, 0,
		false, false},
	{"a time that is none", "x.org\tFALSE\t/\tFALSE\tsoon\ta\tb", ERR_SYNTAX, NULL, NULL, NULL,
		0, false, false},
	{"a dot alone", ".\tFALSE\t/\tFALSE\t0\ta\tb", ERR_SYNTAX, NULL, NULL, NULL, 0, false,
		false},
};

static void test_dates(void)
{
	for (size_t i = 0; i < ARRAY_LEN(DATES); i++) {
		int64_t got = -1;

		tap_case("date: '%s'", DATES[i].text);
		CHECK_INT(cookie_parse_date(slice_str(DATES[i].text), &got),
			DATES[i].want < 0 ? ERR_SYNTAX : 0);
		CHECK_INT(got, DATES[i].want);
	}
}

static void test_fields(void)
{
	for (size_t i = 0; i < ARRAY_LEN(FIELDS); i++) {
		struct cookie c = {0};

		tap_case("Set-Cookie: %s", FIELDS[i].label);
		CHECK_INT(cookie_parse(slice_str(FIELDS[i].text), NOW, &c),
			FIELDS[i].name ? 0 : ERR_SYNTAX);
		if (!FIELDS[i].name)
			continue;
		CHECK_SLICE(c.name, slice_str(FIELDS[i].name));
		CHECK_SLICE(c.value, slice_str(FIELDS[i].value));
		CHECK_SLICE(c.domain, slice_str(FIELDS[i].domain));
		CHECK_SLICE(c.path, slice_str(FIELDS[i].path));
		CHECK_INT(c.expires, FIELDS[i].expires);
		CHECK_INT(c.secure, FIELDS[i].secure);
		CHECK_INT(c.for_subdomains, FIELDS[i].for_subdomains);
	}
}

static void test_lines(void)
{
	for (size_t i = 0; i < ARRAY_LEN(LINES); i++) {
		struct cookie c = {0};

		tap_case("line: %s", LINES[i].label);
		CHECK_INT(cookie_parse_line(slice_str(LINES[i].line), &c), LINES[i].rc);
		if (LINES[i].rc)
			continue;
		CHECK_SLICE(c.domain, slice_str(LINES[i].domain));
		CHECK_SLICE(c.name, slice_str(LINES[i].name));
		CHECK_SLICE(c.value, slice_str(LINES[i].value));
		CHECK_INT(c.expires, LINES[i].expires);
		CHECK_INT(c.secure, LINES[i].secure);
		CHECK_INT(c.for_subdomains, LINES[i].for_subdomains);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_dates();
	test_fields();
	test_lines();
	return tap_done();
}
