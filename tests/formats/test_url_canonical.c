/*
 * Canonical form and SURT. Expected values: by the rules of canonical.h; those marked IA are what
 * the Internet Archive's own packages (surt for Python, webarchive-commons) document for the input.
 */
#include "formats/url_canonical.h"

#include <stdlib.h>

#include "tap.h"

#define ID32 "0123456789abcdefghijklemopqrstuv"
#define ID24 "4hqa0555fwsecu455xqckv45"

static const struct {
	const char *label;
	const char *in;
	const char *canonical;
	const char *surt;
} ROWS[] = {
	{"plain (IA)", "http://archive.org/", "http://archive.org/", "org,archive)/"},
	{"www (IA)", "http://www.archive.org/", "http://archive.org/", "org,archive)/"},
	{"www with a number (IA)", "http://www34.archive.org/", "http://archive.org/",
		"org,archive)/"},
	{"www once", "http://www.www2.x.org/", "http://www2.x.org/", "org,x,www2)/"},
	{"no www (IA)", "http://www2foo.com/", "http://www2foo.com/", "com,www2foo)/"},
	{"www alone", "http://www/", "http://www/", "www)/"},
	{"https keeps its scheme", "https://www.x.org/", "https://x.org/", "org,x)/"},
	{"default port (IA)", "http://www.archive.org:80/", "http://archive.org/", "org,archive)/"},
	{"other port (IA)", "http://www.archive.org:443/", "http://archive.org:443/",
		"org,archive:443)/"},
	{"credentials and fragment", "http://u:p@x.org/#f", "http://x.org/", "org,x)/"},
	{"dots around the host (IA)", "http://www.google.com.../", "http://google.com/",
		"com,google)/"},
	{"dots in the host", "http://a..b.org/", "http://a.b.org/", "org,b,a)/"},
	{"dots only", "http://../", "http://./", ",)/"},
	{"IPv4 is not turned round", "http://192.0.2.1:81/", "http://192.0.2.1:81/",
		"192.0.2.1:81)/"},
	{"IPv4 as a number (IA)", "http://3279880203/blah", "http://195.127.0.11/blah",
		"195.127.0.11)/blah"},
	{"IPv6", "http://[2001:DB8::1]/A", "http://[2001:db8::1]/a", "2001:db8::1)/a"},
	{"IPv6 with a port", "http://[::1]:8080/", "http://[::1]:8080/", "::1:8080)/"},
	{"IDN (IA)",
		"http://B\xc3\xbc"
		"cher.ch:8080",
		"http://xn--bcher-kva.ch:8080/", "ch,xn--bcher-kva:8080)/"},

	{"lower case", "http://x.org/A/B?C=D", "http://x.org/a/b?c=d", "org,x)/a/b?c=d"},
	{"slash at the end (IA)", "http://archive.org/goo/", "http://archive.org/goo",
		"org,archive)/goo"},
	{"empty query (IA)", "http://archive.org/goo/?", "http://archive.org/goo",
		"org,archive)/goo"},
	{"query sorted (IA)", "http://archive.org/goo/?a=2&b&a=1",
		"http://archive.org/goo?a=1&a=2&b", "org,archive)/goo?a=1&a=2&b"},
	{"without value first", "http://x/?a=&a&a=1", "http://x/?a&a=&a=1", "x)/?a&a=&a=1"},
	{"by name, then by value", "http://x/?a-b=1&a=2&a=1", "http://x/?a=1&a=2&a-b=1",
		"x)/?a=1&a=2&a-b=1"},
	{"empty field (IA)", "http://x/?a=1&", "http://x/?&a=1", "x)/?&a=1"},
	{"two slashes (IA)", "http://host.com//twoslashes?more//slashes",
		"http://host.com/twoslashes?more//slashes", "com,host)/twoslashes?more//slashes"},
	{"slashes only", "http://x//////", "http://x/", "x)/"},
	{"escapes (IA)", "http://host/%25%32%35%25%32%35", "http://host/%25%25", "host)/%25%25"},
	{"escapes of escapes (IA)", "http://host/%2525252525252525", "http://host/%25",
		"host)/%25"},
	{"broken escapes (IA)", "http://host/%%%25%32%35asd%%", "http://host/%25%25%25asd%25%25",
		"host)/%25%25%25asd%25%25"},
	{"escape in pieces", "http://x/%%341", "http://x/a", "x)/a"},
	{"signs (IA)", "http://host/%257Ea%2521b%2540c%2523d%2524e%25f%255E00%252611%252A22",
		"http://host/~a!b@c%23d$e%25f^00&11*22", "host)/~a!b@c%23d$e%25f^00&11*22"},
	{"dots that were escaped", "http://x/a/%252e%252e/b", "http://x/b", "x)/b"},
	{"dots at the root", "http://x/%252e%252e/b", "http://x/../b", "x)/../b"},
	{"slash that was escaped", "http://x/a%2fb", "http://x/a/b", "x)/a/b"},
	{"not UTF-8", "http://x/%E9?%E9", "http://x/%e9?%e9", "x)/%e9?%e9"},
	{"controls", "http://x/%0A%7F%20", "http://x/%0a%7f%20", "x)/%0a%7f%20"},
	{"blanks in a query (IA)",
		"http://x/v.gif?&r=http%3A//a/&b=Netscape%205.0%20%28W%3B%20en%29",
		"http://x/v.gif?&b=netscape%205.0%20(w;%20en)&r=http://a/",
		"x)/v.gif?&b=netscape%205.0%20(w;%20en)&r=http://a/"},

	{"jsessionid alone (IA)", "http://x/?jsessionid=" ID32, "http://x/", "x)/"},
	{"jsessionid too long (IA)", "http://x/?jsessionid=" ID32 "0",
		"http://x/?jsessionid=" ID32 "0", "x)/?jsessionid=" ID32 "0"},
	{"jsessionid first (IA)", "http://x/?JSESSIONID=" ID32 "&x=y", "http://x/?x=y", "x)/?x=y"},
	{"jsessionid between (IA)", "http://x/?one=two&jsessionid=" ID32 "&x=y",
		"http://x/?one=two&x=y", "x)/?one=two&x=y"},
	{"jsessionid last (IA)", "http://x/?one=two&jsessionid=" ID32, "http://x/?&one=two",
		"x)/?&one=two"},
	{"phpsessid (IA)", "http://archive.org/index.php?PHPSESSID=" ID32 "&action=profile;u=4221",
		"http://archive.org/index.php?action=profile;u=4221",
		"org,archive)/index.php?action=profile;u=4221"},
	{"sid (IA)", "http://x/?sid=9682993c8daa2c5497996114facdc805&x=y", "http://x/?x=y",
		"x)/?x=y"},
	{"two of them (IA)", "http://x/?sid=9682993c8daa2c5497996114facdc805&jsessionid=" ID32,
		"http://x/", "x)/"},
	{"the last of two", "http://x/?sid=" ID32 "&sid=" ID32 "&x", "http://x/?sid=" ID32 "&x",
		"x)/?sid=" ID32 "&x"},
	{"aspsessionid (IA)", "http://x/?aspsessionidABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&x=y",
		"http://x/?x=y", "x)/?x=y"},
	{"aspsessionid with digits", "http://x/?aspsessionidABCDEFG1=ABCDEFGHIJKLMNOPQRSTUVWX",
		"http://x/?aspsessionidabcdefg1=abcdefghijklmnopqrstuvwx",
		"x)/?aspsessionidabcdefg1=abcdefghijklmnopqrstuvwx"},
	{"cfid and cftoken (IA)", "http://x/?CFID=12412453&CFTOKEN=15501799&dt=19_08",
		"http://x/?dt=19_08", "x)/?dt=19_08"},
	{"cfid and cftoken alone (IA)",
		"http://x/?CFID=16603925&CFTOKEN=2AE13EEE-3048-85B0-56CEDAAB0ACA44B8", "http://x/",
		"x)/"},
	{"cfid without cftoken", "http://x/?cfid=1&a=2", "http://x/?a=2&cfid=1", "x)/?a=2&cfid=1"},
	{"cfid that is empty", "http://x/?cfid=&cftoken=1", "http://x/?cfid=&cftoken=1",
		"x)/?cfid=&cftoken=1"},
	{"ASP.NET (IA)", "http://x/(S(" ID24 "))/mileg.aspx", "http://x/mileg.aspx",
		"x)/mileg.aspx"},
	{"ASP.NET, plain (IA)", "http://x/(" ID24 ")/mileg.aspx", "http://x/mileg.aspx",
		"x)/mileg.aspx"},
	{"ASP.NET, several (IA)", "http://x/(a(" ID24 ")S(" ID24 ")f(" ID24 "))/mileg.aspx?page=s",
		"http://x/mileg.aspx?page=s", "x)/mileg.aspx?page=s"},
	{"ASP.NET, deeper", "http://x/a/(" ID24 ")/b/c.aspx/d", "http://x/a/b/c.aspx/d",
		"x)/a/b/c.aspx/d"},
	{"no ASP.NET", "http://x/(" ID24 ")/mileg.html", "http://x/(" ID24 ")/mileg.html",
		"x)/(" ID24 ")/mileg.html"},
	{"no ASP.NET id (IA)", "http://x/photos/36050182@N05/", "http://x/photos/36050182@n05",
		"x)/photos/36050182@n05"},
	{"session in the path stays", "http://x/a;jsessionid=" ID32, "http://x/a;jsessionid=" ID32,
		"x)/a;jsessionid=" ID32},

	{"whois (IA)", "whois://whois.isoc.org.il/shaveh.co.il",
		"whois://whois.isoc.org.il/shaveh.co.il", "il,org,isoc,whois)/shaveh.co.il"},
	{"ftp (IA)", "ftp://www.example.com/", "ftp://example.com/", "com,example)/"},
	{"host in capitals, opaque", "foo://WWW.X.org", "foo://x.org/", "org,x)/"},
	{"mailto (IA)", "mailto:foo@example.com", "mailto:foo@example.com",
		"mailto:foo@example.com"},
	{"dns (IA)", "dns:archive.org", "dns:archive.org", "dns:archive.org"},
	{"warcinfo (IA)", "warcinfo:foo.warc.gz", "warcinfo:foo.warc.gz", "warcinfo:foo.warc.gz"},
	{"file", "file:///a/b", "file:/a/b", "file:/a/b"},
};

static void test_rows(void)
{
	struct url u;
	struct buf out;

	url_init(&u);
	buf_init(&out, URL_CANONICAL_MAX);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("canonical: %s", ROWS[i].label);
		CHECK_INT(url_parse(&u, slice_str(ROWS[i].in), NULL, NULL), 0);
		buf_reset(&out);
		CHECK_INT(url_canonical(&out, &u), 0);
		CHECK_STR(buf_str(&out), ROWS[i].canonical);
		buf_reset(&out);
		CHECK_INT(url_surt(&out, &u), 0);
		CHECK_STR(buf_str(&out), ROWS[i].surt);
	}
	buf_release(&out);
	url_release(&u);
}

/* The longest there can be: every byte of the path a "%". */
static void test_limit(void)
{
	struct url u;
	struct buf text, out;

	url_init(&u);
	buf_init(&text, URL_MAX);
	buf_init(&out, URL_CANONICAL_MAX);
	(void)buf_add_str(&text, "http://h/");
	while (buf_add_char(&text, '%') == 0)
		;
	CHECK_INT(url_parse(&u, buf_slice(&text), NULL, NULL), 0);
	CHECK_INT(url_canonical(&out, &u), 0);
	CHECK_INT(out.len, 9 + 3 * (URL_MAX - 9));
	buf_release(&out);
	buf_init(&out, 3 * (URL_MAX - 9));
	CHECK_INT(buf_add_str(&out, "before"), 0);
	CHECK_INT(url_canonical(&out, &u), ERR_LIMIT);
	CHECK_INT(url_surt(&out, &u), ERR_LIMIT);
	CHECK_STR(buf_str(&out), "before");
	buf_release(&out);
	buf_release(&text);
	url_release(&u);
}

/* Inputs that cost quadratic time when done naively; the test's time limit judges. */
static void test_hostile(void)
{
	static const slice units[] = {SLICE_INIT("%25"), SLICE_INIT("25"),
		SLICE_INIT("cfid=&cftoken=&"), SLICE_INIT("cfid=x"), SLICE_INIT("&"),
		SLICE_INIT("(" ID24 ")/"), SLICE_INIT("/..%252f")};
	static const char *const starts[] = {"http://h/%", "http://h/?%", "http://h/x.aspx/"};
	struct url u;
	struct buf text, out;

	url_init(&u);
	buf_init(&text, URL_MAX);
	buf_init(&out, URL_CANONICAL_MAX);
	for (size_t i = 0; i < ARRAY_LEN(units) * ARRAY_LEN(starts); i++) {
		buf_reset(&text);
		buf_reset(&out);
		(void)buf_add_str(&text, starts[i % ARRAY_LEN(starts)]);
		while (buf_add(&text, units[i / ARRAY_LEN(starts)]) == 0)
			;
		CHECK_INT(url_parse(&u, buf_slice(&text), NULL, NULL), 0);
		CHECK_INT(url_canonical(&out, &u), 0);
	}
	buf_release(&out);
	buf_release(&text);
	url_release(&u);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	TAP_RUN(test_limit);
	TAP_RUN(test_hostile);
	return tap_done();
}
