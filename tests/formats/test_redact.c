/* Secrets leave a request's head, and all else stays byte for byte. */
#include "formats/http_fields.h"

#include "base/err.h"
#include "tap.h"

enum { TEXT_MAX = 4096 };

static const slice NAMES[] = {SLICE_INIT("cookie"), SLICE_INIT("authorization")};

static const struct {
	const char *label, *head, *want, *found;
} ROWS[] = {
	{"nothing secret", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		""},
	{"a cookie", "GET / HTTP/1.1\r\nCookie: a=b\r\nX: y\r\n\r\n",
		"GET / HTTP/1.1\r\nCookie: [redacted]\r\nX: y\r\n\r\n", "cookie"},
	{"any case, any blanks", "GET / HTTP/1.1\r\nAUTHORIZATION:x\r\ncookie:   a\r\n\r\n",
		"GET / HTTP/1.1\r\nAUTHORIZATION: [redacted]\r\ncookie: [redacted]\r\n\r\n",
		"authorization, cookie"},
	{"twice", "GET / HTTP/1.1\r\nCookie: a\r\nCookie: b\r\n\r\n",
		"GET / HTTP/1.1\r\nCookie: [redacted]\r\nCookie: [redacted]\r\n\r\n", "cookie"},
	{"the request line is no field", "cookie: /x HTTP/1.1\r\n\r\n",
		"cookie: /x HTTP/1.1\r\n\r\n", ""},
	{"names that only begin alike", "GET / HTTP/1.1\r\nCookies: a\r\nX-Cookie: b\r\n\r\n",
		"GET / HTTP/1.1\r\nCookies: a\r\nX-Cookie: b\r\n\r\n", ""},
	{"a blank before the colon", "GET / HTTP/1.1\r\nCookie : a\r\n\r\n",
		"GET / HTTP/1.1\r\nCookie: [redacted]\r\n\r\n", "cookie"},
	{"a folded value", "GET / HTTP/1.1\r\nCookie: a\r\n\tb\r\n c\r\nX: y\r\n z\r\n\r\n",
		"GET / HTTP/1.1\r\nCookie: [redacted]\r\nX: y\r\n z\r\n\r\n", "cookie"},
	{"no end", "GET / HTTP/1.1\r\nCookie: a", "GET / HTTP/1.1\r\nCookie: [redacted]\r\n",
		"cookie"},
	{"nothing", "", "", ""},
};

int main(int argc, char **argv)
{
	struct buf out, found;

	tap_init(argc, argv);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("%s", ROWS[i].label);
		buf_init(&out, TEXT_MAX);
		buf_init(&found, TEXT_MAX);
		CHECK_INT(
			redact_head(slice_str(ROWS[i].head), NAMES, ARRAY_LEN(NAMES), &out, &found),
			0);
		CHECK_STR(buf_str(&out), ROWS[i].want);
		CHECK_STR(buf_str(&found), ROWS[i].found);
		buf_release(&out);
		buf_release(&found);
	}
	tap_case("no names: all stays");
	buf_init(&out, TEXT_MAX);
	buf_init(&found, TEXT_MAX);
	CHECK_INT(redact_head(SLICE("G\r\nCookie: a\r\n\r\n"), NULL, 0, &out, &found), 0);
	CHECK_STR(buf_str(&out), "G\r\nCookie: a\r\n\r\n");
	buf_release(&out);
	buf_release(&found);
	return tap_done();
}
