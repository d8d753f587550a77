#include "formats/url.h"

#include "tap.h"

/* Public suffixes that have been in the list for many years. */
static void test_registrable(void)
{
	static const struct {
		const char *label;
		const char *host;
		const char *want;
	} rows[] = {
		{"itself", "example.com", "example.com"},
		{"below", "a.b.example.com", "example.com"},
		{"suffix of two labels", "www.example.co.uk", "example.co.uk"},
		{"suffix", "co.uk", ""},
		{"wildcard (*.ck)", "a.b.c.ck", "b.c.ck"},
		{"exception (!www.ck)", "a.www.ck", "www.ck"},
		{"private section", "a.b.github.io", "b.github.io"},
		{"IDN", "www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"},
		{"unknown top-level domain", "a.b.example", "b.example"},
		{"one label", "localhost", ""},
		{"dot at the end", "a.example.com.", "example.com"},
		{"dot at the start", ".example.com", ""},
		{"empty label", "a..example.com", ""},
		{"dots", "..", ""},
		{"nothing", "", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("registrable: %s", rows[i].label);
		CHECK_SLICE(
			url_registrable_domain(slice_str(rows[i].host)), slice_str(rows[i].want));
	}
}

/* A long label below com, so many bytes in all. */
static size_t registrable_of(size_t len)
{
	struct buf name;
	size_t found;

	buf_init(&name, len);
	while (name.len < len - 4)
		(void)buf_add_char(&name, 'a');
	(void)buf_add_str(&name, ".com");
	found = url_registrable_domain(buf_slice(&name)).len;
	buf_release(&name);
	return found;
}

static void test_limit(void)
{
	CHECK_INT(registrable_of(URL_DOMAIN_MAX), URL_DOMAIN_MAX);
	CHECK_INT(registrable_of(URL_DOMAIN_MAX + 1), 0);
}

static void test_of_url(void)
{
	static const struct {
		const char *url;
		const char *want;
	} rows[] = {
		{"http://a.example.com/", "example.com"},
		{"http://192.0.2.1/", ""},
		{"http://[::1]/", ""},
		{"foo://a.example.com/", ""},
		{"mailto:a@example.com", ""},
	};
	struct url u;

	url_init(&u);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CHECK_INT(url_parse(&u, slice_str(rows[i].url), NULL, NULL), 0);
		CHECK_SLICE(url_domain(&u), slice_str(rows[i].want));
	}
	url_release(&u);
}

static void test_within(void)
{
	CHECK(url_host_within(SLICE("example.com"), SLICE("example.com")));
	CHECK(url_host_within(SLICE("a.example.com"), SLICE("example.com")));
	CHECK(url_host_within(SLICE("a.example.com."), SLICE("example.com")));
	CHECK(!url_host_within(SLICE("anexample.com"), SLICE("example.com")));
	CHECK(!url_host_within(SLICE("com"), SLICE("example.com")));
	CHECK(!url_host_within(SLICE("example.com"), SLICE("")));
	CHECK(!url_host_within(SLICE(""), SLICE("example.com")));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_registrable();
	TAP_RUN(test_limit);
	TAP_RUN(test_of_url);
	TAP_RUN(test_within);
	return tap_done();
}
