/* Who gets which cookie (RFC 6265, section 5), and that nobody can fill a jar. */
#include "net/cookie.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

#define NOW INT64_C(1000000000)

enum { HEAD_SIZE = 1 << 20, FLOOD = 3000 };

/* A response to `from` sets that; a request to `to` carries this. */
static const struct {
	const char *label, *from, *set, *to, *want;
} ROWS[] = {
	{"the same page", "http://a.example.org/", "n=1", "http://a.example.org/", "n=1"},
	{"another port", "http://a.example.org/", "n=1", "http://a.example.org:81/", "n=1"},
	{"a host's own is not its parent's", "http://a.example.org/", "n=1", "http://example.org/",
		""},
	{"nor its child's", "http://example.org/", "n=1", "http://a.example.org/", ""},
	{"a domain's is its hosts'", "http://a.example.org/", "n=1; Domain=example.org",
		"http://b.example.org/", "n=1"},
	{"a domain in capitals", "http://a.example.org/", "n=1; Domain=.EXAMPLE.org",
		"http://b.example.org/", "n=1"},
	{"another domain's is not taken", "http://a.example.org/", "n=1; Domain=example.net",
		"http://example.net/", ""},
	{"nor that of a name that ends alike", "http://badexample.org/", "n=1; Domain=example.org",
		"http://example.org/", ""},
	{"nor that of a host below", "http://example.org/", "n=1; Domain=a.example.org",
		"http://a.example.org/", ""},
	{"nor a public suffix's", "http://a.co.uk/", "n=1; Domain=co.uk", "http://b.co.uk/", ""},
	{"localhost's own", "http://localhost/", "n=1; Domain=localhost", "http://localhost/",
		"n=1"},
	{"an address's own", "http://127.0.0.1/", "n=1; Domain=127.0.0.1", "http://127.0.0.1/",
		"n=1"},
	{"no part of an address", "http://127.0.0.1/", "n=1; Domain=0.0.1", "http://127.0.0.1/",
		""},
	{"IPv6", "http://[::1]/", "n=1", "http://[::1]:8080/", "n=1"},
	{"the directory of the page", "http://x.org/a/b", "n=1", "http://x.org/a/c/d", "n=1"},
	{"not another one", "http://x.org/a/b", "n=1", "http://x.org/ab", ""},
	{"a path", "http://x.org/", "n=1; Path=/a", "http://x.org/a?q", "n=1"},
	{"a path with a slash", "http://x.org/", "n=1; Path=/a/", "http://x.org/a", ""},
	{"secure by https", "https://x.org/", "n=1; Secure", "https://x.org/", "n=1"},
	{"not by http", "https://x.org/", "n=1; Secure", "http://x.org/", ""},
	{"nor from it", "http://x.org/", "n=1; Secure", "https://x.org/", ""},
	{"dead on arrival", "http://x.org/", "n=1; Max-Age=0", "http://x.org/", ""},
	{"several fields", "http://x.org/", "n=1\r\nX: y\r\nset-cookie:m=2", "http://x.org/",
		"n=1; m=2"},
	{"the last of a name", "http://x.org/", "n=1\r\nSet-Cookie: n=2", "http://x.org/", "n=2"},
	{"long paths first", "http://x.org/", "n=1\r\nSet-Cookie: m=2; Path=/a", "http://x.org/a",
		"m=2; n=1"},
	{"one that is taken back", "http://x.org/",
		"n=1\r\nSet-Cookie: n=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://x.org/",
		""},
};

static void parse(struct url *u, const char *text)
{
	url_init(u);
	CHECK_INT(url_parse(u, slice_str(text), NULL, NULL), 0);
}

static void take(struct jar *jar, const char *from, const char *head, int64_t now)
{
	struct url url;

	parse(&url, from);
	CHECK_INT(jar_take(jar, &url, slice_str(head), now), 0);
	url_release(&url);
}

/* Puts what a request carries into out, which the caller releases. */
static const char *sent(struct jar *jar, const char *to, int64_t now, struct buf *out)
{
	struct url url;

	parse(&url, to);
	buf_init(out, JAR_FIELD_MAX);
	CHECK_INT(jar_cookies(jar, &url, now, out), 0);
	url_release(&url);
	return buf_str(out);
}

static void check_sent(struct jar *jar, const char *to, const char *want, int64_t now)
{
	struct buf got;

	CHECK_STR(sent(jar, to, now, &got), want);
	buf_release(&got);
}

static size_t count_sent(struct jar *jar, const char *to)
{
	struct buf got;
	size_t count = 0;

	for (const char *at = sent(jar, to, NOW, &got); *at; at++)
		count += *at == '=';
	buf_release(&got);
	return count;
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct jar jar = {0};
		char head[512];

		tap_case("%s", ROWS[i].label);
		(void)snprintf(head, sizeof head,
			"HTTP/1.1 200 OK\r\nX-Set-Cookie: no=1\r\nSet-Cookie: %s\r\n\r\n",
			ROWS[i].set);
		CHECK(jar_is_set_in(slice_str(head)));
		take(&jar, ROWS[i].from, head, NOW);
		check_sent(&jar, ROWS[i].to, ROWS[i].want, NOW);
		jar_release(&jar);
	}
}

/* The first response sets that, the second this; a request over https carries the rest. */
static const struct {
	const char *label, *first, *one, *second, *two, *to, *want;
} SECURE_ROWS[] = {
	{"http does not replace it", "https://x.org/", "n=1; Secure", "http://x.org/", "n=2",
		"https://x.org/", "n=1"},
	{"nor take it back", "https://x.org/", "n=1; Secure", "http://x.org/", "n=; Max-Age=0",
		"https://x.org/", "n=1"},
	{"nor hide it behind a longer path", "https://x.org/", "n=1; Secure", "http://x.org/a/",
		"n=2", "https://x.org/a/b", "n=1"},
	{"nor one of its domain", "https://x.org/", "n=1; Secure; Domain=x.org", "http://a.x.org/",
		"n=2", "https://a.x.org/", "n=1"},
	{"nor a host's by its domain's", "https://a.x.org/", "n=1; Secure", "http://x.org/",
		"n=2; Domain=x.org", "https://a.x.org/", "n=1"},
	{"another name is free", "https://x.org/", "n=1; Secure", "http://x.org/", "m=2",
		"https://x.org/", "n=1; m=2"},
	{"another path is free", "https://x.org/", "n=1; Secure; Path=/login", "http://x.org/",
		"n=2", "https://x.org/login", "n=1; n=2"},
	{"another host is free", "https://a.x.org/", "n=1; Secure", "http://b.x.org/", "n=2",
		"https://b.x.org/", "n=2"},
	{"https replaces it", "https://x.org/", "n=1; Secure", "https://x.org/", "n=2",
		"https://x.org/", "n=2"},
	{"one that has ended protects nothing", "https://x.org/", "n=1; Secure; Max-Age=0",
		"http://x.org/", "n=2", "https://x.org/", "n=2"},
	{"a promise in a name: Secure", "https://x.org/", "__Secure-n=1", "http://x.org/",
		"__secure-m=2", "https://x.org/", ""},
	{"a promise kept", "https://x.org/", "__Secure-n=1; Secure", "https://x.org/",
		"__Host-m=2; Secure; Path=/", "https://x.org/", "__Secure-n=1; __Host-m=2"},
	{"a promise in a name: one host", "https://a.x.org/",
		"__Host-n=1; Secure; Path=/; Domain=x.org", "https://a.x.org/b/c",
		"__Host-m=2; Secure", "https://a.x.org/b/", ""},
};

static void test_secure(void)
{
	for (size_t i = 0; i < ARRAY_LEN(SECURE_ROWS); i++) {
		struct jar jar = {0};
		char head[256];

		tap_case("Secure: %s", SECURE_ROWS[i].label);
		(void)snprintf(head, sizeof head, "Set-Cookie: %s\r\n", SECURE_ROWS[i].one);
		take(&jar, SECURE_ROWS[i].first, head, NOW);
		(void)snprintf(head, sizeof head, "Set-Cookie: %s\r\n", SECURE_ROWS[i].two);
		take(&jar, SECURE_ROWS[i].second, head, NOW);
		check_sent(&jar, SECURE_ROWS[i].to, SECURE_ROWS[i].want, NOW);
		jar_release(&jar);
	}
}

/* Nor do many others over http drive a Secure one out, of its own domain or of any. */
static void test_secure_flood(void)
{
	struct jar jar = {0};
	struct buf got;
	char head[64], from[64];

	take(&jar, "https://x.org/", "Set-Cookie: keep=1; Secure; Path=/a\r\n", NOW);
	for (int i = 0; i < FLOOD; i++) {
		(void)snprintf(head, sizeof head, "Set-Cookie: n%d=x\r\n", i);
		(void)snprintf(from, sizeof from, "http://h%d.org/", i % 100);
		take(&jar, i % 2 ? "http://x.org/" : from, head, NOW);
	}
	take(&jar, "https://x.org/", "Set-Cookie: other=1; Path=/a; Secure\r\n", NOW);
	for (int i = 0; i < JAR_DOMAIN_COUNT; i++) {
		(void)snprintf(head, sizeof head, "Set-Cookie: s%d=x; Secure; Path=/b\r\n", i);
		take(&jar, "https://y.org/", head, NOW);
	}
	take(&jar, "http://y.org/", "Set-Cookie: late=1; Path=/b\r\n", NOW);
	CHECK_INT((int64_t)count_sent(&jar, "https://y.org/b"), JAR_DOMAIN_COUNT);
	CHECK(jar.cookies.len <= JAR_COUNT);
	CHECK(strstr(sent(&jar, "https://x.org/a", NOW, &got), "keep=1; other=1") != NULL);
	buf_release(&got);
	jar_release(&jar);
}

static void test_time(void)
{
	struct jar jar = {0};

	take(&jar, "http://x.org/", "Set-Cookie: n=1; Max-Age=10\r\n", NOW);
	check_sent(&jar, "http://x.org/", "n=1", NOW + 9);
	check_sent(&jar, "http://x.org/", "", NOW + 10);
	CHECK_INT((int64_t)jar.cookies.len, 0);
	CHECK_INT((int64_t)jar.bytes, 0);
	jar_release(&jar);
	CHECK(!jar_is_set_in(SLICE("HTTP/1.1 200 OK\r\nCookie: a=b\r\n\r\nSet-Cooki")));
}

/* Whatever servers set, the jar stays small, and so does the field. */
static void test_flood(void)
{
	struct jar jar = {0};
	struct url url;
	struct buf got;

	parse(&url, "http://h7.example.org/");
	buf_init(&got, HEAD_SIZE);
	for (int i = 0; i < FLOOD; i++) {
		static char head[8192];
		char from[64];

		(void)snprintf(from, sizeof from, "http://h%d.example.org/", i % 100);
		(void)snprintf(head, sizeof head, "Set-Cookie: n%d=%0*d\r\n", i, i % 5000, i);
		take(&jar, from, head, NOW);
		CHECK(jar.cookies.len <= JAR_COUNT && jar.bytes <= JAR_TEXT_MAX);
	}
	CHECK(jar.cookies.len > 10);
	CHECK_INT(jar_cookies(&jar, &url, NOW, &got), 0);
	CHECK(got.len <= JAR_FIELD_MAX);
	buf_release(&got);
	url_release(&url);
	jar_release(&jar);
}

/* One host cannot drive the others' cookies out. */
static void test_share(void)
{
	struct jar jar = {0};

	take(&jar, "http://good.org/", "Set-Cookie: keep=1\r\n", NOW);
	for (int i = 0; i < FLOOD; i++) {
		char head[64];

		(void)snprintf(head, sizeof head, "Set-Cookie: n%d=x\r\n", i);
		take(&jar, "http://bad.org/", head, NOW);
	}
	CHECK_INT((int64_t)jar.cookies.len, JAR_DOMAIN_COUNT + 1);
	check_sent(&jar, "http://good.org/", "keep=1", NOW);
	jar_release(&jar);
}

static void test_file(void)
{
	struct jar jar = {0};
	struct err err = {0};

	CHECK_INT(jar_read(&jar,
			  SLICE("# comment\n\n.x.org\tTRUE\t/\tFALSE\t0\ta\tb\n"
				"x.org\tFALSE\t/\tFALSE\t0\tc\td"),
			  NOW, &err),
		0);
	check_sent(&jar, "http://y.x.org/", "a=b", NOW);
	check_sent(&jar, "http://x.org/", "a=b; c=d", NOW);
	CHECK_INT(jar_read(&jar, SLICE("# one\nx.org\tno cookie\n"), NOW, &err), ERR_SYNTAX);
	CHECK(strstr(err.text, "line 2 ") != NULL);
	jar_release(&jar);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	test_secure();
	TAP_RUN(test_secure_flood);
	TAP_RUN(test_time);
	TAP_RUN(test_flood);
	TAP_RUN(test_share);
	TAP_RUN(test_file);
	return tap_done();
}
