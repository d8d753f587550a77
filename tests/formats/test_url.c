#include "formats/url.h"

#include <stdlib.h>

#include "tap.h"

/*
 * Cases of our own, after the states of the WHATWG URL Standard; wpt's are in test_conformance.c.
 * An expected value that is NULL means failure.
 */
static const struct {
	const char *label;
	const char *base;
	slice in;
	const char *want;
} ROWS[] = {
	{"plain", NULL, SLICE_INIT("http://example.org/a?b#c"), "http://example.org/a?b#c"},
	{"blanks and controls around", NULL, SLICE_INIT(" \x01\n http://h/a \t\x1f "),
		"http://h/a"},
	{"tabs and line breaks inside", NULL, SLICE_INIT("ht\ttp:/\n/h\r/a\tb"), "http://h/ab"},
	{"nothing", NULL, SLICE_INIT(""), NULL},
	{"blanks only", "http://h/a?b#c", SLICE_INIT("   "), "http://h/a?b"},

	{"scheme in capitals", NULL, SLICE_INIT("HTTPS://h/"), "https://h/"},
	{"scheme with signs", NULL, SLICE_INIT("a+b-c.1:x"), "a+b-c.1:x"},
	{"scheme that begins with a digit", NULL, SLICE_INIT("1a:x"), NULL},
	{"scheme without a colon", "http://h/", SLICE_INIT("http"), "http://h/http"},
	{"colon only", "http://h/a/b", SLICE_INIT(":x"), "http://h/a/:x"},
	{"no slashes", NULL, SLICE_INIT("http:h/a"), "http://h/a"},
	{"too many slashes", NULL, SLICE_INIT("http:////h/a"), "http://h/a"},
	{"backslashes", NULL, SLICE_INIT("http:\\\\h\\a\\b"), "http://h/a/b"},
	{"backslash elsewhere", NULL, SLICE_INIT("foo://h/a\\b"), "foo://h/a\\b"},
	{"same scheme, relative", "http://h/a/b", SLICE_INIT("http:c"), "http://h/a/c"},
	{"other scheme, absolute", "http://h/a/b", SLICE_INIT("https:c"), "https://c/"},

	{"credentials", NULL, SLICE_INIT("http://u:p@h/"), "http://u:p@h/"},
	{"user alone", NULL, SLICE_INIT("http://u:@h/"), "http://u@h/"},
	{"password alone", NULL, SLICE_INIT("http://:p@h/"), "http://:p@h/"},
	{"no credentials", NULL, SLICE_INIT("http://:@h/"), "http://h/"},
	{"several at signs", NULL, SLICE_INIT("http://a@b:c@d@h/"), "http://a%40b:c%40d@h/"},
	{"credentials escaped", NULL, SLICE_INIT("http://a/b@h/"), "http://a/b@h/"},
	{"signs in a password", NULL, SLICE_INIT("http://u:a;b=c|d^@h/"),
		"http://u:a%3Bb%3Dc%7Cd%5E@h/"},
	{"credentials without host", NULL, SLICE_INIT("http://u@/"), NULL},
	{"credentials without host, not special", NULL, SLICE_INIT("foo://u@/"), NULL},
	{"credentials and port only", NULL, SLICE_INIT("http://u@:80/"), NULL},

	{"host in capitals", NULL, SLICE_INIT("http://EXAMPLE.org"), "http://example.org/"},
	{"host in capitals, opaque", NULL, SLICE_INIT("foo://EXAMPLE.org"), "foo://EXAMPLE.org"},
	{"host escaped", NULL, SLICE_INIT("http://%65xample%2Eorg"), "http://example.org/"},
	{"host escaped, opaque", NULL, SLICE_INIT("foo://%65x"), "foo://%65x"},
	{"umlaut", NULL,
		SLICE_INIT("http://b\xc3\xbc"
			   "cher.de"),
		"http://xn--bcher-kva.de/"},
	{"umlaut, opaque", NULL,
		SLICE_INIT("foo://b\xc3\xbc"
			   "x"),
		"foo://b%C3%BCx"},
	{"umlaut escaped", NULL,
		SLICE_INIT("http://b%c3%bc"
			   "cher.de"),
		"http://xn--bcher-kva.de/"},
	{"wide letters and stop", NULL,
		SLICE_INIT("http://\xef\xbd\x81\xe3\x80\x82"
			   "b/"),
		"http://a.b/"},
	{"sharp s stays", NULL, SLICE_INIT("http://fa\xc3\x9f.de/"), "http://xn--fa-hia.de/"},
	{"broken xn-- in ASCII", NULL, SLICE_INIT("http://xn--a/"), "http://xn--a/"},
	{"broken xn-- beside others", NULL, SLICE_INIT("http://xn--a.\xc3\xbc/"), NULL},
	{"soft hyphen only", NULL, SLICE_INIT("http://\xc2\xad/"), NULL},
	{"broken UTF-8 in a host", NULL, SLICE_INIT("http://a\xff/"), NULL},
	{"mixed directions", NULL, SLICE_INIT("http://a\xd7\x90.de/"), NULL},
	{"blank in a host", NULL, SLICE_INIT("http://a b/"), NULL},
	{"escaped NUL in a host", NULL, SLICE_INIT("http://a%00b/"), NULL},
	{"escaped percent sign", NULL, SLICE_INIT("http://a%25b/"), NULL},
	{"hyphens anywhere", NULL, SLICE_INIT("http://-a-.b--/"), "http://-a-.b--/"},
	{"long label", NULL,
		SLICE_INIT("http://\xc3\xbc"
			   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"),
		"http://"
		"xn--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-n1g/"},
	{"host missing", NULL, SLICE_INIT("http://"), NULL},
	{"host missing before a query", NULL, SLICE_INIT("http://?a"), NULL},
	{"empty host, not special", NULL, SLICE_INIT("foo:///a"), "foo:///a"},
	{"empty host with port", NULL, SLICE_INIT("foo://:1/a"), NULL},

	{"default port", NULL, SLICE_INIT("https://h:443/"), "https://h/"},
	{"other port", NULL, SLICE_INIT("https://h:80/"), "https://h:80/"},
	{"port with zeros", NULL, SLICE_INIT("http://h:00008080/"), "http://h:8080/"},
	{"empty port", NULL, SLICE_INIT("http://h:/"), "http://h/"},
	{"largest port", NULL, SLICE_INIT("http://h:65535"), "http://h:65535/"},
	{"port too large", NULL, SLICE_INIT("http://h:65536"), NULL},
	{"port of many digits", NULL, SLICE_INIT("http://h:99999999999999999999"), NULL},
	{"port that is no number", NULL, SLICE_INIT("http://h:1a/"), NULL},
	{"port elsewhere", NULL, SLICE_INIT("foo://h:80/"), "foo://h:80/"},

	{"no path", NULL, SLICE_INIT("http://h"), "http://h/"},
	{"no path, not special", NULL, SLICE_INIT("foo://h"), "foo://h"},
	{"dots", NULL, SLICE_INIT("http://h/a/./b/../c/."), "http://h/a/c/"},
	{"dots at the end", NULL, SLICE_INIT("http://h/a/b/.."), "http://h/a/"},
	{"dots above the root", NULL, SLICE_INIT("http://h/../../a"), "http://h/a"},
	{"escaped dots", NULL, SLICE_INIT("http://h/a/%2E%2e/.%2e/b/%2e"), "http://h/b/"},
	{"three dots", NULL, SLICE_INIT("http://h/.../..a/b.."), "http://h/.../..a/b.."},
	{"empty segments", NULL, SLICE_INIT("http://h//a//../b"), "http://h//a/b"},
	{"path escaped", NULL, SLICE_INIT("http://h/ \"<>^`{}|[]'\x7f"),
		"http://h/%20%22%3C%3E%5E%60%7B%7D|[]'%7F"},
	{"escapes stay", NULL, SLICE_INIT("http://h/%41%zz%"), "http://h/%41%zz%"},
	{"broken UTF-8 in a path", NULL, SLICE_INIT("http://h/\xc3(\xe2\x82)\xff"),
		"http://h/%EF%BF%BD(%EF%BF%BD)%EF%BF%BD"},
	{"NUL", NULL,
		SLICE_INIT("http://h/\0?\0#\0"
			   "a"),
		"http://h/%00?%00#%00a"},

	{"query escaped", NULL, SLICE_INIT("http://h/? \"'<>`"), "http://h/?%20%22%27%3C%3E`"},
	{"query escaped, not special", NULL, SLICE_INIT("foo://h/?'"), "foo://h/?'"},
	{"question marks in it", NULL, SLICE_INIT("http://h/?a?b"), "http://h/?a?b"},
	{"empty query and fragment", NULL, SLICE_INIT("http://h/?#"), "http://h/?#"},
	{"fragment escaped", NULL, SLICE_INIT("http://h/# \"<>`#"), "http://h/#%20%22%3C%3E%60#"},

	{"relative: empty", "http://u@h:1/a/b?c#d", SLICE_INIT(""), "http://u@h:1/a/b?c"},
	{"relative: fragment", "http://h/a?b#c", SLICE_INIT("#d"), "http://h/a?b#d"},
	{"relative: query", "http://h/a/b?c#d", SLICE_INIT("?e"), "http://h/a/b?e"},
	{"relative: segment", "http://h/a/b?c", SLICE_INIT("d"), "http://h/a/d"},
	{"relative: up", "http://h/a/b/c", SLICE_INIT("../d"), "http://h/a/d"},
	{"relative: root", "http://u:p@h:1/a/b", SLICE_INIT("/d"), "http://u:p@h:1/d"},
	{"relative: host", "https://u:p@h:1/a/b", SLICE_INIT("//i/d"), "https://i/d"},
	{"relative: backslashes", "https://h/a/b", SLICE_INIT("\\\\i\\d"), "https://i/d"},
	{"relative: not special", "foo://h/a/b", SLICE_INIT("../c\\d"), "foo://h/c\\d"},
	{"relative: empty path", "foo://h", SLICE_INIT("a"), "foo://h/a"},
	{"relative: looks like a scheme", "http://h/a/", SLICE_INIT("b c:d"), "http://h/a/b%20c:d"},

	{"opaque path", NULL, SLICE_INIT("mailto:A b@c?d#e"), "mailto:A b@c?d#e"},
	{"opaque path, blanks before a query", NULL, SLICE_INIT("data:a  ?b"), "data:a %20?b"},
	{"opaque path, blanks at the end", NULL, SLICE_INIT("data:a  "), "data:a"},
	{"opaque path, escaped", NULL, SLICE_INIT("data:\xc3\xbc\x01<>"), "data:%C3%BC%01<>"},
	{"opaque base, fragment", "mailto:a?b#c", SLICE_INIT("#d"), "mailto:a?b#d"},
	{"opaque base, path", "mailto:a", SLICE_INIT("b"), NULL},
	{"opaque base, empty", "mailto:a", SLICE_INIT(""), NULL},
	{"path that looks like a host", NULL, SLICE_INIT("foo:/.//a"), "foo:/.//a"},
	{"path that comes to look so", NULL, SLICE_INIT("foo:/a/..//b"), "foo:/.//b"},
	{"base that looks so", "foo:/.//a/b", SLICE_INIT("c?d#e"), "foo:/.//a/c?d#e"},
	{"base that looks so, fragment", "foo:/.//a?b", SLICE_INIT("#e"), "foo:/.//a?b#e"},
	{"base that looks so, query", "foo:/.//a?b", SLICE_INIT("?e"), "foo:/.//a?e"},
	{"base that looked so", "foo:/.//a", SLICE_INIT("/b"), "foo:/b"},

	{"IPv4", NULL, SLICE_INIT("http://192.0.2.1/"), "http://192.0.2.1/"},
	{"IPv4, hexadecimal", NULL, SLICE_INIT("http://0xC0.0x000201/"), "http://192.0.2.1/"},
	{"IPv4, opaque", NULL, SLICE_INIT("foo://0x7f.1/"), "foo://0x7f.1/"},
	{"IPv4, wide digits", NULL, SLICE_INIT("http://\xef\xbc\x91.2/"), "http://1.0.0.2/"},
	{"IPv6", NULL, SLICE_INIT("http://[2001:DB8:0:0:1:0:0:1]:81/"),
		"http://[2001:db8::1:0:0:1]:81/"},
	{"IPv6, opaque", NULL, SLICE_INIT("foo://[::1]/"), "foo://[::1]/"},
	{"IPv6, open", NULL, SLICE_INIT("http://[::1/"), NULL},
	{"IPv6, text behind", NULL, SLICE_INIT("http://[::1]x/"), NULL},

	{"file", NULL, SLICE_INIT("file:///a/b"), "file:///a/b"},
	{"file, no slashes", NULL, SLICE_INIT("file:a"), "file:///a"},
	{"file with host", NULL, SLICE_INIT("file://H/a"), "file://h/a"},
	{"file on localhost", NULL, SLICE_INIT("file://LOCALHOST/a"), "file:///a"},
	{"file with a port", NULL, SLICE_INIT("file://h:1/a"), NULL},
	{"file on a drive", NULL, SLICE_INIT("file:///c|/a/../.."), "file:///c:/"},
	{"file on a drive as host", NULL, SLICE_INIT("file://c:/a"), "file:///c:/a"},
	{"file on a drive, backslashes", NULL, SLICE_INIT("file:\\c:\\a"), "file:///c:/a"},
	{"file, relative", "file://h/a/b?c", SLICE_INIT("d"), "file://h/a/d"},
	{"file, query", "file://h/a/b?c", SLICE_INIT("?d"), "file://h/a/b?d"},
	{"file, fragment", "file://h/a/b?c", SLICE_INIT("#d"), "file://h/a/b?c#d"},
	{"file, drive kept", "file:///c:/a/b", SLICE_INIT("/d"), "file:///c:/d"},
	{"file, other drive", "file:///c:/a/b", SLICE_INIT("d|/e"), "file:///d:/e"},
	{"file, other drive from root", "file://h/c:/a", SLICE_INIT("/d:/e"), "file://h/d:/e"},
	{"file, up from a drive", "file:///c:", SLICE_INIT(".."), "file:///c:/"},
	{"file, base of another scheme", "http://h/a", SLICE_INIT("file:b"), "file:///b"},
	{"not a drive elsewhere", NULL, SLICE_INIT("http://h/c|/.."), "http://h/"},
};

static void test_rows(void)
{
	struct url base, u;

	url_init(&base);
	url_init(&u); /* one for all: an earlier URL must leave no traces */
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		const struct url *against = ROWS[i].base ? &base : NULL;
		struct err err = {0};
		int rc;

		tap_case("parse: %s", ROWS[i].label);
		if (ROWS[i].base)
			CHECK_INT(url_parse(&base, slice_str(ROWS[i].base), NULL, NULL), 0);
		rc = url_parse(&u, ROWS[i].in, against, &err);
		if (!ROWS[i].want) {
			CHECK_INT(rc, ERR_SYNTAX);
			CHECK(err.text[0] != '\0' && u.text.len == 0);
			continue;
		}
		CHECK_INT(rc, 0);
		CHECK_STR(err.text, "");
		CHECK_STR(buf_str(&u.text), ROWS[i].want);
	}
	url_release(&u);
	url_release(&base);
}

/* A serialisation means itself. */
static void test_again(void)
{
	struct url u, again;

	url_init(&u);
	url_init(&again);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		if (!ROWS[i].want)
			continue;
		CHECK_INT(url_parse(&again, slice_str(ROWS[i].want), NULL, NULL), 0);
		CHECK_STR(buf_str(&again.text), ROWS[i].want);
	}
	url_release(&u);
	url_release(&again);
}

static void test_parts(void)
{
	struct url u;

	url_init(&u);
	CHECK_INT(url_parse(&u, SLICE("wss://us:pa@h.org:99/p/q?a=b#f"), NULL, NULL), 0);
	CHECK_SLICE(url_part(&u, u.scheme), SLICE("wss"));
	CHECK_SLICE(url_part(&u, u.username), SLICE("us"));
	CHECK_SLICE(url_part(&u, u.password), SLICE("pa"));
	CHECK_SLICE(url_part(&u, u.host), SLICE("h.org"));
	CHECK_INT(u.port, 99);
	CHECK_INT(url_effective_port(&u), 99);
	CHECK_SLICE(url_part(&u, u.path), SLICE("/p/q"));
	CHECK_SLICE(url_part(&u, u.query), SLICE("a=b"));
	CHECK_SLICE(url_part(&u, u.fragment), SLICE("f"));
	CHECK_SLICE(url_page(&u), SLICE("wss://us:pa@h.org:99/p/q?a=b"));
	CHECK_INT(u.scheme_id, URL_WSS);
	CHECK_INT(u.host_kind, URL_HOST_DOMAIN);
	CHECK(u.has_query && u.has_fragment && !u.opaque_path && url_is_special(&u));
	CHECK(!url_is_http(&u));
	url_release(&u);
}

static void test_parts_that_are_not(void)
{
	struct url u;

	url_init(&u);
	CHECK_INT(url_parse(&u, SLICE("mailto:x"), NULL, NULL), 0);
	CHECK_INT(u.host_kind, URL_HOST_NONE);
	CHECK_INT(u.port, URL_NO_PORT);
	CHECK_INT(url_effective_port(&u), URL_NO_PORT);
	CHECK(u.opaque_path && !u.has_query && !u.has_fragment && !url_is_special(&u));
	CHECK_SLICE(url_part(&u, u.path), SLICE("x"));
	CHECK_SLICE(url_page(&u), SLICE("mailto:x"));
	CHECK_INT(url_parse(&u, SLICE("http://h/?#"), NULL, NULL), 0);
	CHECK(u.has_query && u.has_fragment && url_is_http(&u));
	CHECK_SLICE(url_page(&u), SLICE("http://h/?"));
	url_drop_fragment(&u);
	CHECK(u.has_query && !u.has_fragment);
	CHECK_SLICE(url_text(&u), SLICE("http://h/?"));
	url_drop_fragment(&u);
	CHECK_SLICE(url_text(&u), SLICE("http://h/?"));
	url_release(&u);
	CHECK_SLICE(url_page(&u), SLICE(""));
	CHECK_SLICE(url_part(&u, u.path), SLICE(""));
}

static void test_kinds_of_hosts(void)
{
	static const struct {
		const char *in;
		enum url_host_kind kind;
	} rows[] = {
		{"http://h/", URL_HOST_DOMAIN},
		{"http://1/", URL_HOST_IPV4},
		{"http://[::]/", URL_HOST_IPV6},
		{"foo://h/", URL_HOST_OPAQUE},
		{"foo:///", URL_HOST_EMPTY},
		{"file:///", URL_HOST_EMPTY},
		{"file://h/", URL_HOST_DOMAIN},
		{"foo:/", URL_HOST_NONE},
	};
	struct url u;

	url_init(&u);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_note("%s", rows[i].in);
		CHECK_INT(url_parse(&u, slice_str(rows[i].in), NULL, NULL), 0);
		CHECK_INT(u.host_kind, rows[i].kind);
	}
	url_release(&u);
}

static void test_default_ports(void)
{
	CHECK_INT(url_default_port(URL_HTTP), 80);
	CHECK_INT(url_default_port(URL_HTTPS), 443);
	CHECK_INT(url_default_port(URL_WS), 80);
	CHECK_INT(url_default_port(URL_WSS), 443);
	CHECK_INT(url_default_port(URL_FTP), 21);
	CHECK_INT(url_default_port(URL_FILE), URL_NO_PORT);
	CHECK_INT(url_default_port(URL_OTHER), URL_NO_PORT);
}

/* "http://h/" and then so many of c. */
static int parse_long(struct url *u, size_t total, char c, struct err *err)
{
	static const slice start = SLICE_INIT("http://h/");
	char *text = malloc(total);
	int rc = ERR_NOMEM;

	if (text) {
		memcpy(text, start.ptr, start.len);
		memset(text + start.len, c, total - start.len);
		rc = url_parse(u, (slice){text, total}, NULL, err);
	}
	free(text);
	return rc;
}

static void test_limits(void)
{
	struct url u;
	struct err err = {0};
	size_t third = 9 + (URL_MAX - 9) / 3;

	url_init(&u);
	CHECK_INT(parse_long(&u, URL_MAX, 'a', &err), 0);
	CHECK_INT(u.text.len, URL_MAX);
	CHECK_INT(parse_long(&u, URL_MAX + 1, 'a', &err), ERR_LIMIT);
	CHECK_STR(err.text, "URL is over 65536 bytes");
	CHECK_INT(u.text.len, 0);
	/* Blanks at the end count as input too. */
	CHECK_INT(parse_long(&u, URL_MAX + 1, ' ', NULL), ERR_LIMIT);
	/* Escaping makes it longer: the limit holds for the result as well. */
	CHECK_INT(parse_long(&u, third, '<', NULL), 0);
	CHECK_INT(u.text.len, URL_MAX - 1);
	CHECK_INT(parse_long(&u, third + 1, '<', NULL), ERR_LIMIT);
	url_release(&u);
}

/* Names of many labels are nothing special; ICU gets the room it asks for. */
static void test_long_names(void)
{
	struct url u;
	struct buf text;
	size_t labels = 0;

	url_init(&u);
	buf_init(&text, URL_MAX);
	(void)buf_add_str(&text, "http://");
	for (; text.len < 4000; labels++)
		(void)buf_add_str(&text, "\xc3\xbc.");
	CHECK_INT(url_parse(&u, buf_slice(&text), NULL, NULL), 0);
	CHECK_INT(u.host.len, labels * strlen("xn--tda."));
	buf_release(&text);
	url_release(&u);
}

static void test_copy(void)
{
	struct url from, to;

	url_init(&from);
	url_init(&to);
	CHECK_INT(url_parse(&from, SLICE("http://h/a?b#c"), NULL, NULL), 0);
	CHECK_INT(url_parse(&to, SLICE("foo://u@x.y/"), NULL, NULL), 0);
	CHECK_INT(url_copy(&to, &from), 0);
	url_release(&from);
	CHECK_SLICE(url_text(&to), SLICE("http://h/a?b#c"));
	CHECK_SLICE(url_part(&to, to.query), SLICE("b"));
	CHECK_INT(to.username.len, 0);
	url_release(&to);
}

static void test_loopback(void)
{
	static const struct {
		const char *url;
		bool want;
	} rows[] = {
		{"http://127.0.0.1:8000/", true},
		{"http://127.9.9.9/", true},
		{"http://2130706433/", true}, /* 127.0.0.1, as the URL standard reads it */
		{"http://[::1]/", true},
		{"http://localhost/", true},
		{"http://a.localhost:81/", true},
		{"http://128.0.0.1/", false},
		{"http://[::2]/", false},
		{"http://localhost.example.org/", false},
		{"http://notlocalhost/", false},
		{"http://10.0.0.1/", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct url url;

		tap_case("loopback: %s", rows[i].url);
		url_init(&url);
		CHECK_INT(url_parse(&url, slice_str(rows[i].url), NULL, NULL), 0);
		CHECK(url_is_loopback(&url) == rows[i].want);
		url_release(&url);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	TAP_RUN(test_again);
	TAP_RUN(test_parts);
	TAP_RUN(test_parts_that_are_not);
	TAP_RUN(test_kinds_of_hosts);
	TAP_RUN(test_default_ports);
	TAP_RUN(test_limits);
	TAP_RUN(test_long_names);
	TAP_RUN(test_copy);
	test_loopback();
	return tap_done();
}
