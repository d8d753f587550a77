/* What was perhaps meant by a text that is not a URL. */
#include "formats/url.h"

#include "tap.h"

static void test_repair(void)
{
	static const struct {
		const char *text, *want; /* NULL: nothing to propose */
	} rows[] = {
		{"example.org", "https://example.org/"},
		{"example.org/a:b", "https://example.org/a:b"},
		{"//example.org/a", "https://example.org/a"},
		{"htp://example.org/", "https://example.org/"},
		{"https//example.org", "https://example.org/"},
		{"http//example.org/a", "http://example.org/a"},
		{"http:example.org", "http://example.org/"},
		{"localhost", "http://localhost/"},
		{"localhost:8080", "http://localhost:8080/"},
		{"127.0.0.1/x", "http://127.0.0.1/x"},
		{"192.0.2.1", "https://192.0.2.1/"},
		{"host:8080", "https://host:8080/"},
		{"hello", NULL},
		{"", NULL},
		{"  ", NULL},
		{"http:", NULL},
		{"ftp://example.org/", NULL},
		{"someone@example.org", NULL},
		{"exa mple.org", NULL},
	};
	char out[64];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("repair: '%s'", rows[i].text);
		if (CHECK(url_repair(rows[i].text, out, sizeof out) == (rows[i].want != NULL)) &&
			rows[i].want)
			CHECK_STR(out, rows[i].want);
	}
	tap_case("repair: no room");
	CHECK(!url_repair("example.org", out, 12));
}

static void test_on_site(void)
{
	static const struct {
		const char *text, *site, *want;
	} rows[] = {
		{"/a?b", "http://h.org/x", "http://h.org/a?b"},
		{"/a", "http://h.org:81/", "http://h.org:81/a"},
		{"h.org/a", "http://h.org/", "http://h.org/a"},
		{"h.org/a", "http://h.org:81/", "http://h.org:81/a"},
		{"h.org:82/a", "http://h.org:81/", "http://h.org:82/a"},
		{"other.org/a", "https://h.org:81/", "https://other.org/a"},
		{"h.org", "http://h.org/", "http://h.org/"},
		{"http://h.org/", "http://h.org/", NULL},
		{"a b/c", "http://h.org/", NULL},
		{"/a", "not a site", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct url url;

		tap_case("on a site: '%s' on %s", rows[i].text, rows[i].site);
		url_init(&url);
		if (CHECK(url_repair_on_site(rows[i].text, slice_str(rows[i].site), &url) ==
			    (rows[i].want != NULL)) &&
			rows[i].want)
			CHECK_SLICE(url_text(&url), slice_str(rows[i].want));
		url_release(&url);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_repair();
	test_on_site();
	return tap_done();
}
