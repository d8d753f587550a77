/* Archived fields as a browser gets them in replay. */
#include "replay/rewrite.h"

#include "base/err.h"
#include "tap.h"

enum { MAX = 1 << 20 };

static int collect(void *context, slice name, slice value)
{
	return buf_printf(
		context, "%.*s: %.*s\n", (int)name.len, name.ptr, (int)value.len, value.ptr);
}

static const struct {
	const char *label;
	const char *in;
	const char *want;
} ROWS[] = {
	{"redirect", "Location: /x?y#z", "Location: /c/2026mp_/http://h.org/x?y#z\n"},
	{"redirect elsewhere", "LOCATION: https://i.org", "LOCATION: /c/2026mp_/https://i.org/\n"},
	{"redirect to nowhere", "Location: http://[", ""},
	{"refresh", "Refresh: 5;url=x", "Refresh: 5; url=/c/2026mp_/http://h.org/d/x\n"},
	{"refresh of itself", "Refresh: 5", "Refresh: 5\n"},
	{"link",
		"Link: <x>; rel=preload; as=style, <//i.org>; rel=preconnect, <y>; "
		"rel=\"original\"",
		"Link: </c/2026cs_/http://h.org/d/x>; rel=preload; as=style\n"},
	{"only hints", "Link: <//i.org>; rel=dns-prefetch", ""},
	{"language", "Content-Language: de", "Content-Language: de\n"},
	{"cookie", "Set-Cookie: a=b", ""},
	{"HSTS", "Strict-Transport-Security: max-age=9", ""},
	{"site data", "Clear-Site-Data: \"*\"", ""},
	{"service worker", "Service-Worker-Allowed: /", ""},
	{"policy", "Content-Security-Policy: default-src 'none'", ""},
	{"reports", "NEL: {}\r\nReport-To: {}\r\nReporting-Endpoints: x=\"https://i.org\"", ""},
	{"others", "Access-Control-Allow-Origin: *\r\nAlt-Svc: h3\r\nX-Frame-Options: DENY", ""},
	{"ours", "Connection-Allowlist: (\"*://*:*\")\r\nMemento-Datetime: x", ""},
};

static void test_rows(void)
{
	const struct rewrite_place place = {.collection = SLICE("c"), .time = SLICE("2026")};
	struct rewrite_urls urls;

	CHECK_INT(rewrite_urls_init(&urls, &place, SLICE("http://h.org/d/e"), CHARSET_UTF_8), 0);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct buf head, out;
		struct fields fields = {0};

		tap_case("fields: %s", ROWS[i].label);
		buf_init(&head, MAX);
		buf_init(&out, MAX);
		(void)buf_printf(&head, "HTTP/1.1 200 OK\r\n%s\r\n\r\n", ROWS[i].in);
		CHECK_INT(fields_parse(&fields, head.ptr, head.len), 0);
		CHECK_INT(rewrite_fields(&fields, &urls, REWRITE_PAGE, collect, &out), 0);
		CHECK_STR(buf_str(&out), ROWS[i].want);
		fields_release(&fields);
		buf_release(&head);
		buf_release(&out);
	}
	rewrite_urls_release(&urls);
}

static void test_kind(void)
{
	const struct rewrite_place place = {.collection = SLICE("c"), .time = SLICE("2026")};
	char head[] = "HTTP/1.1 302 Found\r\nLocation: /x.css\r\n\r\n";
	struct fields fields = {0};
	struct rewrite_urls urls;
	struct buf out;

	buf_init(&out, MAX);
	CHECK_INT(rewrite_urls_init(&urls, &place, SLICE("http://h.org/d/e"), CHARSET_UTF_8), 0);
	CHECK_INT(fields_parse(&fields, head, sizeof head - 1), 0);
	CHECK_INT(rewrite_fields(&fields, &urls, REWRITE_STYLE, collect, &out), 0);
	CHECK_STR(buf_str(&out), "Location: /c/2026cs_/http://h.org/x.css\n");
	fields_release(&fields);
	rewrite_urls_release(&urls);
	buf_release(&out);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	TAP_RUN(test_kind);
	return tap_done();
}
