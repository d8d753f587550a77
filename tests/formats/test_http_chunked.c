#include "formats/http_payload.h"

#include "base/buf.h"
#include "base/err.h"
#include "tap.h"

enum { MAX = 1 << 20 };

/* Feeds the text in pieces of that size; the data go to out. */
static int decode(slice in, size_t piece, struct http_chunked *c, struct buf *out)
{
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < in.len; at += piece) {
		slice part = slice_sub(in, at, at + piece), data;

		while (rc == 0 && part.len > 0) {
			rc = http_chunked_next(c, &part, &data);
			if (rc == 0)
				(void)buf_add(out, data);
		}
	}
	return rc;
}

static void test_bodies(void)
{
	static const struct {
		const char *label;
		const char *in;
		int rc;
		bool complete;
		const char *want;
	} rows[] = {
		/* RFC 9112 §7.1, and errata of servers */
		{"one chunk", "5\r\nhello\r\n0\r\n\r\n", 0, true, "hello"},
		{"two chunks", "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", 0, true, "hello"},
		{"empty", "0\r\n\r\n", 0, true, ""},
		{"LF only", "5\nhello\n0\n\n", 0, true, "hello"},
		{"zeros, upper case", "00A\r\n0123456789\r\n000\r\n\r\n", 0, true, "0123456789"},
		{"extension", "5;a=\"b\"\r\nhello\r\n0;x\r\n\r\n", 0, true, "hello"},
		{"blanks behind the size", "5   \r\nhello\r\n0 \r\n\r\n", 0, true, "hello"},
		{"trailer", "0\r\nA: b\r\nC: d\r\n\r\n", 0, true, ""},
		{"bytes behind the end", "1\r\na\r\n0\r\n\r\nrest", 0, true, "a"},
		{"data with line breaks", "4\r\n\r\n\r\n\r\n0\r\n\r\n", 0, true, "\r\n\r\n"},
		{"cut in a chunk", "5\r\nhel", 0, false, "hel"},
		{"no last chunk", "5\r\nhello\r\n", 0, false, "hello"},
		{"no trailer", "0\r\n", 0, false, ""},
		{"no size", "\r\nhello", ERR_SYNTAX, false, ""},
		{"no chunks at all", "<html>", ERR_SYNTAX, false, ""},
		{"chunk longer than its size", "2\r\nhello\r\n", ERR_SYNTAX, false, "he"},
		{"size with a sign", "-1\r\n", ERR_SYNTAX, false, ""},
		{"largest size", "ffffffffffffffff\r\nab", 0, false, "ab"},
		{"size too large", "10000000000000000\r\nab", ERR_LIMIT, false, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("body: %s", rows[i].label);
		for (size_t piece = 1; piece <= 32; piece *= 2) {
			struct http_chunked c = {0};
			struct buf out;

			buf_init(&out, MAX);
			CHECK_INT(decode(slice_str(rows[i].in), piece, &c, &out), rows[i].rc);
			CHECK_STR(buf_str(&out), rows[i].want);
			CHECK_INT(http_chunked_complete(&c), rows[i].complete);
			buf_release(&out);
		}
	}
}

/* before, count times 'x', after: what comes of it. */
static int decode_long(const char *before, size_t count, const char *after)
{
	struct http_chunked c = {0};
	struct buf in, out;
	int rc;

	buf_init(&in, MAX);
	buf_init(&out, MAX);
	(void)buf_add_str(&in, before);
	for (size_t i = 0; i < count; i++)
		(void)buf_add_char(&in, 'x');
	(void)buf_add_str(&in, after);
	rc = decode(buf_slice(&in), MAX, &c, &out);
	buf_release(&in);
	buf_release(&out);
	return rc;
}

static void test_limits(void)
{
	CHECK_INT(decode_long("0;", HTTP_CHUNK_LINE_MAX, "\n\n"), 0);
	CHECK_INT(decode_long("0;", HTTP_CHUNK_LINE_MAX + 1, "\n\n"), ERR_LIMIT);
	CHECK_INT(decode_long("0\n", HTTP_CHUNK_TRAILER_MAX - 2, "\n\n"), 0);
	CHECK_INT(decode_long("0\n", HTTP_CHUNK_TRAILER_MAX - 1, "\n\n"), ERR_LIMIT);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_bodies();
	TAP_RUN(test_limits);
	return tap_done();
}
