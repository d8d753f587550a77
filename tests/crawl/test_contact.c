#include "crawl/settings.h"

#include <stdlib.h>

#include "tap.h"

static void test_valid(void)
{
	static const struct {
		const char *text;
		bool want;
	} rows[] = {
		{"https://example.org/crawl?x=1", true},
		{"http://example.org", true},
		{"a.b+c@example.org", true},
		{"root@localhost", true},
		{"", false},
		{"example.org", false},
		{"https://", false},
		{"https://exa mple.org/", false},
		{"ftp://example.org/", false},
		{"a@b", false},
		{"@example.org", false},
		{"a@", false},
		{"a@b@example.org", false},
		{"mailto:a@example.org", false},
		{"a)b@example.org", false},
		{"https://example.org/(x)", false},
		{"a;b@example.org", false},
		{"a@example.org\r\nX: y", false},
		{"\xc3\xa4@example.org", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("valid: '%s'", rows[i].text);
		CHECK(contact_is_valid(slice_str(rows[i].text)) == rows[i].want);
	}
}

static void test_user_agent(void)
{
	static const struct {
		const char *label;
		struct crawl_settings settings;
		const char *want;
	} rows[] = {
		{"nobody", {.contact = NULL},
			"Mozilla/5.0 (compatible; stillpoint/" STILLPOINT_VERSION ")"},
		{"a URL", {.contact = "https://example.org/"},
			"Mozilla/5.0 (compatible; stillpoint/" STILLPOINT_VERSION
			" +https://example.org/)"},
		{"a mail address", {.contact = "a@example.org"},
			"Mozilla/5.0 (compatible; stillpoint/" STILLPOINT_VERSION
			" +mailto:a@example.org)"},
		{"their own", {.contact = "a@example.org", .user_agent = "Me/1"}, "Me/1"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *agent = contact_user_agent(&rows[i].settings);

		tap_case("user agent: %s", rows[i].label);
		CHECK_STR(agent, rows[i].want);
		free(agent);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_valid();
	test_user_agent();
	return tap_done();
}
