/* Shapes of URLs: what is masked, what kind it is, and that names which people gave are left alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/traps.h"
#include "tap.h"

#define X "http://x.org"

static void test_shapes(void)
{
	static const struct {
		const char *url, *text;
		enum trap_kind kind;
	} rows[] = {
		{X "/", X "/", TRAP_PLAIN},
		{X "/about/team.html", X "/about/team.html", TRAP_PLAIN},
		{X "/gr%C3%BC%20e/a", X "/gr%C3%BC%20e/a", TRAP_PLAIN},
		{X "/article/12345", X "/article/#", TRAP_COUNTER},
		{X "/article/12345.html", X "/article/#.html", TRAP_COUNTER},
		{X "/pep-0008/", X "/pep-#/", TRAP_COUNTER},
		{X "/a1b2", X "/a#b#", TRAP_COUNTER},
		{X "/calendar/2031/05/12", X "/calendar/#/#/#", TRAP_CALENDAR},
		{X "/calendar/2031-05-12", X "/calendar/#", TRAP_CALENDAR},
		{X "/12.5.2031/", X "/#/", TRAP_CALENDAR},
		{X "/2019/05/some-title", X "/#/#/some-title", TRAP_CALENDAR},
		{X "/files/550e8400-e29b-41d4-a716-446655440000.pdf", X "/files/*.pdf",
			TRAP_COUNTER},
		{X "/cache/d41d8cd98f00b204e9800998ecf8427e", X "/cache/*", TRAP_COUNTER},
		{X "/k/Zm9vYmFyMTIzNDU2Nzg5MDAx", X "/k/*", TRAP_COUNTER},
		{X "/internationalization", X "/internationalization", TRAP_PLAIN},
		{X "/tiles/0/0/0.png", X "/tiles/#/#/#.png", TRAP_COUNTER},
		{X "/a?b=1&a=2", X "/a?a&b", TRAP_PARAMETERS},
		{X "/a?b=1&b=2&&=3", X "/a?b", TRAP_PARAMETERS},
		{X "/a?p12=x", X "/a?p#", TRAP_PARAMETERS},
		{X "/events?month=3&year=2031", X "/events?month&year", TRAP_CALENDAR},
		{X "/a/b/a/b/a/b/", X, TRAP_SEGMENTS},
		{X "/en/en/en/", X, TRAP_SEGMENTS},
		{X "/a/b/b/a/b/a/a/b/", X, TRAP_SEGMENTS},
		{X "/a/b/a/b/", X "/a/b/a/b/", TRAP_PLAIN},
		{X "/a?sid=0123456789abcdef0123&id=7", X "/a?id=7", TRAP_SESSION},
		{X "/a?id=7&PHPSESSID=0123456789abcdef0123", X "/a?id=7", TRAP_SESSION},
		{X "/a/b.jsp;jsessionid=0A1B2C3D4E5F6A7B8C9D?id=7", X "/a/b.jsp?id=7",
			TRAP_SESSION},
		{X "/a?cfid=12&cftoken=34", X "/a", TRAP_SESSION},
		{X "/a?sid=12", X "/a?sid", TRAP_PARAMETERS}, /* a story's number */
		{"https://x.org:8080/9", "https://x.org:8080/#", TRAP_COUNTER},
	};
	struct buf text;
	struct url u;

	url_init(&u);
	buf_init(&text, URL_MAX);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct trap_shape s;

		tap_case("shape: %s", rows[i].url);
		CHECK_INT(url_parse(&u, slice_str(rows[i].url), NULL, NULL), 0);
		CHECK_INT(trap_shape(&text, &u, &s), 0);
		CHECK_SLICE(s.text, slice_str(rows[i].text));
		CHECK_INT(s.kind, rows[i].kind);
	}
	buf_release(&text);
	url_release(&u);
}

static void test_parts(void)
{
	static const struct {
		const char *url, *section, *path;
	} rows[] = {
		{X "/", X "/", X "/"},
		{X "/a", X "/", X "/a"},
		{X "/a/b/c?d=1", X "/a/", X "/a/b/c"},
		{X "/a/a/a/", X, X},
		{X "/b/2?sid=0123456789abcdef0123", X "/b/", X "/b/2"},
	};
	struct buf text;
	struct url u;

	url_init(&u);
	buf_init(&text, URL_MAX);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct trap_shape s;

		tap_case("parts: %s", rows[i].url);
		CHECK_INT(url_parse(&u, slice_str(rows[i].url), NULL, NULL), 0);
		CHECK_INT(trap_shape(&text, &u, &s), 0);
		CHECK_SLICE(slice_sub(s.text, 0, s.section), slice_str(rows[i].section));
		CHECK_SLICE(slice_sub(s.text, 0, s.path), slice_str(rows[i].path));
	}
	buf_release(&text);
	url_release(&u);
}

/* Made to be slow: nothing may take more than a moment. */
static void test_long(void)
{
	static const char *const PIECES[] = {"/", ";", "a/", "1-", "&a", "?", "0a", "%31", ";sid="};
	struct buf text, url;
	struct url u;

	url_init(&u);
	buf_init(&text, URL_MAX);
	buf_init(&url, URL_MAX);
	for (size_t i = 0; i < ARRAY_LEN(PIECES); i++) {
		struct trap_shape s;

		buf_reset(&url);
		CHECK_INT(buf_add_str(&url, X "/"), 0);
		while (url.len + 8 < 60000)
			CHECK_INT(buf_add_str(&url, PIECES[i]), 0);
		CHECK_INT(url_parse(&u, buf_slice(&url), NULL, NULL), 0);
		CHECK_INT(trap_shape(&text, &u, &s), 0);
		CHECK(s.text.len <= url.len && s.section <= s.path && s.path <= s.text.len);
	}
	buf_release(&url);
	buf_release(&text);
	url_release(&u);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_shapes();
	test_parts();
	TAP_RUN(test_long);
	return tap_done();
}
