#include "replay/access.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "tap.h"

static const char RULES[] = "# the longest prefix wins\n"
			    "\n"
			    "org,example block\n"
			    "org,example)/open allow\n"
			    "org,example)/open/young embargo 10d\n"
			    "org,example)/twice block\n"
			    "org,example)/twice allow\n";

static void test_rules(void)
{
	static const int64_t NOW = INT64_C(1000) * 86400 * CLOCK_NS_PER_SECOND;
	static const struct {
		const char *label, *key;
		int days; /* the age of the memento */
		bool allowed;
	} ROWS[] = {
		{"no rule", "com,example)/", 1, true},
		{"prefix", "org,example)/", 1, false},
		{"prefix of the host, as bytes", "org,example2)/", 1, false},
		{"longer prefix", "org,example)/open", 1, true},
		{"below it", "org,example)/open/x", 1, true},
		{"young", "org,example)/open/young", 9, false},
		{"old enough", "org,example)/open/young", 10, true},
		{"beside it", "org,example)/opem", 1, false},
		{"behind it", "org,example)/opfn", 1, false},
		{"the last rule of one prefix", "org,example)/twice", 1, true},
	};
	struct access *a = NULL;
	struct err err = {0};

	CHECK_INT(access_parse(SLICE(RULES), &a, &err), 0);
	for (size_t i = 0; a && i < ARRAY_LEN(ROWS); i++) {
		int64_t time = NOW - ROWS[i].days * INT64_C(86400) * CLOCK_NS_PER_SECOND;

		if (!CHECK(access_allows(a, slice_str(ROWS[i].key), time, NOW) == ROWS[i].allowed))
			tap_note("%s", ROWS[i].label);
	}
	CHECK(access_allows(NULL, SLICE("x"), 0, 0));
	access_free(a);
}

static void test_default(void)
{
	struct access *a = NULL;
	struct err err = {0};

	CHECK_INT(access_parse(SLICE("* block\norg, allow\n"), &a, &err), 0);
	CHECK(a && access_blocks(a, SLICE("com,example)/")));
	CHECK(a && !access_blocks(a, SLICE("org,example)/")));
	access_free(a);
}

/* However it is written, a rule that blocks hides the page it names; or it is refused. */
static const struct {
	const char *written, *blocked, *free; /* keys; NULL: refused */
} WRITTEN[] = {
	{"org,example)/Private", "org,example)/private/x", "org,example)/public"},
	{"ORG,Example)/", "org,example)/", "org,example,a)/"},
	{"org,example,)/a", "org,example)/a", "org,example)/b"},
	{"org,example,www)/a", "org,example)/a", "org,example)/b"},
	{"org,example)", "org,example)/a", "org,example:81)/a"},
	{"org,example:8080)/a", "org,example:8080)/a", "org,example)/a"},
	{"http://(org,example,)/A", "org,example)/a", "org,example)/b"},
	{"http://(org,example,", "org,example,a)/", "org,exampl)/"},
	{"http://example.org/a", "org,example)/a/b", "org,example)/b"},
	{"HTTPS://www.Example.ORG/A/", "org,example)/a", "org,example)/b"},
	{"//example.org/a", "org,example)/a", "org,example)/b"},
	{"example.org", "org,example)/x", "org,example,a)/"},
	{"example.org/a%7Eb", "org,example)/a~b", "org,example)/a"},
	{"example.org/a?z=1&b=2", "org,example)/a?b=2&z=1", "org,example)/a"},
	{"127.0.0.1:8080/a", "127.0.0.1:8080)/a", "127.0.0.1)/a"},
	{"example.org/a*", "org,example)/abc", "org,example)/b"},
	{"http://example.org/*", "org,example)/abc", "org,other)/b"},
	{"example.org*", "org,example)/abc", "org,other)/b"},
	{"org,example,*", "org,example,a)/", "org,other)/b"},
	{"org,example)/*", "org,example)/a", "org,other)/b"},
	{"*.example.org", "org,example)/", "org,example2)/"},
	{"*.example.org", "org,example,a,b)/x", "org,exampl)/"},
	{"http://*.example.org/*", "org,example,a)/x", "org)/"},
	{"*", "x)/", NULL},
	{"**", "x)/", NULL},
	{"*/*", "x)/", NULL},
	{"*.*", "x)/", NULL},
	{"http://*", "x)/", NULL},
	{"https://*/*", "x)/", NULL},
	{"http://(*", "x)/", NULL},
	{"/*", "x)/", NULL},
	{"localhost", "localhost:80)/", "locale)/"},
	{"http://(org,example,", "org,example)/", "org,example2)/"},
	{"(org,example,", "org,example:8443)/", "org,example2)/"},
	{"org,example,", "org,example)/", "org,example2)/"},
	{"*.example.org", "org,example:8443)/", "org,example2)/"},
	{"*.example.org", "org,example,a:8443)/", "org,example2)/"},
	{"example.org", "org,example:8443)/", "org,example2)/"},
	{"http://example.org/", "org,example)/", "org,example:8443)/"},
	{"http:/example.org/a", "org,example)/a", "org,example)/b"},
	{"https:///example.org/a", "org,example)/a", "org,example)/b"},
	{"https://example.org:443/a", "org,example)/a/x", "org,example:443)/a"},
	{"https://example.org:80/a", "org,example:80)/a/x", "org,example)/a"},
	{"https://(org,example,:443)/a", "org,example)/a", "org,example)/b"},
	{".example.org", "org,example,a)/x", "org,example2)/"},
	{".example.org", "org,example:8080)/x", "org,other)/"},
	{"[::1]", "::1:8080)/x", "::2)/x"},
	{"http://user:pw@example.org/a", "org,example)/a", "org,example)/b"},
	{"http://127.1/a", "127.0.0.1)/a", "127.0.0.2)/a"},
	{"127.0.0.1", "127.0.0.1:8080)/a", "127.0.0.11)/a"},
	{"example.org,", NULL, NULL},
	{"org,exa.mple", NULL, NULL},
	{"'example.org'", NULL, NULL},
	{"org,exa!mple)/", NULL, NULL},
	{"urn:", NULL, NULL},
	{"data:", NULL, NULL},
	{"127.0.0.", NULL, NULL},
	{"127.1", NULL, NULL},
	{"example.org:443", NULL, NULL},
	{"example.org:443/a", NULL, NULL},
	{"org,example:443)/", NULL, NULL},
	{"http://(org,example,@user)/a", NULL, NULL},
	{",", NULL, NULL},
	{".", NULL, NULL},
	{"(", NULL, NULL},
	{"(,", NULL, NULL},
	{"http://:/", NULL, NULL},
	{"http:example.org", NULL, NULL},
	{"http://localhost/", "localhost)/x", "localhost:80)/"},
	{"a*b", NULL, NULL},
	{"org,*,example)/", NULL, NULL},
	{"*example.org", NULL, NULL},
	{"*.example.org/a", NULL, NULL},
	{"org,example/a", NULL, NULL},
	{"org,example,www", NULL, NULL},
	{"\xef\xbb\xbforg,example", NULL, NULL},
	{"http://", NULL, NULL},
	{"http://a b", NULL, NULL},
	{"http://[/", NULL, NULL},
	{"ftp://example.org/", NULL, NULL},
	{"example.org/#a", NULL, NULL},
	{"org,example)a", NULL, NULL},
	{")/", NULL, NULL},
};

static void test_written(void)
{
	for (size_t i = 0; i < ARRAY_LEN(WRITTEN); i++) {
		struct access *a = NULL;
		struct err err = {0};
		char text[200];

		tap_case("written: %s", WRITTEN[i].written);
		(void)snprintf(text, sizeof text, "%s block\n", WRITTEN[i].written);
		CHECK_INT(access_parse(slice_str(text), &a, &err),
			WRITTEN[i].blocked ? 0 : ERR_SYNTAX);
		if (a && WRITTEN[i].blocked)
			CHECK(access_blocks(a, slice_str(WRITTEN[i].blocked)));
		if (a && WRITTEN[i].free)
			CHECK(!access_blocks(a, slice_str(WRITTEN[i].free)));
		access_free(a);
	}
}

/* What a rule allows is not more than what it says. */
static void test_allowed(void)
{
	struct access *a = NULL;
	struct err err = {0};

	CHECK_INT(access_parse(SLICE("* block\nhttp://example.org/open/ allow\n"), &a, &err), 0);
	CHECK(a && access_blocks(a, SLICE("org,example)/open2")));
	CHECK(a && !access_blocks(a, SLICE("org,example)/open/x")));
	access_free(a);
	a = NULL;
	CHECK_INT(access_parse(SLICE("* block\nexample.org allow\ncom,example, allow\n"), &a, &err),
		0);
	CHECK(a && !access_blocks(a, SLICE("org,example)/x")));
	CHECK(a && access_blocks(a, SLICE("org,example:8443)/x")));
	CHECK(a && !access_blocks(a, SLICE("com,example,a)/")));
	CHECK(a && access_blocks(a, SLICE("com,example)/")));
	access_free(a);
}

static void test_bad(void)
{
	static const char *const TEXTS[] = {"a\n", "a deny\n", "a embargo\n", "a embargo x\n",
		"a allow b\n", "ok allow\na embargo 1e30d"};

	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
		struct access *a = NULL;
		struct err err = {0};

		CHECK_INT(access_parse(slice_str(TEXTS[i]), &a, &err), ERR_SYNTAX);
		CHECK(strncmp(err.text, "line ", 5) == 0);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_rules);
	TAP_RUN(test_default);
	test_written();
	TAP_RUN(test_allowed);
	TAP_RUN(test_bad);
	return tap_done();
}
