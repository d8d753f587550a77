#include "warc/cdxj.h"

#include "base/err.h"
#include "tap.h"

enum { MAX = 4 << 20 };

static void test_write(void)
{
	struct cdxj line = {
		.key = SLICE("com,example)/"),
		.timestamp = "20160111232425",
		.url = SLICE("http://example.com/?q=\"\xc3\xa4\""),
		.mime = SLICE("text/html"),
		.status = 200,
		.digest = SLICE("ABC"),
		.has_place = true,
		.length = 123,
		.offset = UINT64_MAX,
		.filename = SLICE("a.warc.gz"),
	};
	struct buf out;

	buf_init(&out, MAX);
	CHECK_INT(cdxj_write(&out, &line), 0);
	CHECK_STR(buf_str(&out),
		"com,example)/ 20160111232425 {\"url\":\"http://example.com/?q=\\\"\xc3\xa4\\\"\","
		"\"mime\":\"text/html\",\"status\":\"200\",\"digest\":\"ABC\",\"length\":\"123\","
		"\"offset\":\"18446744073709551615\",\"filename\":\"a.warc.gz\"}\n");
	buf_reset(&out);
	line = (struct cdxj){.key = SLICE("a"), .timestamp = "1", .url = SLICE("")};
	CHECK_INT(cdxj_write(&out, &line), 0);
	CHECK_STR(buf_str(&out), "a 1 {\"url\":\"\"}\n");
	line.key = SLICE("a b");
	CHECK_INT(cdxj_write(&out, &line), ERR_SYNTAX);
	line.key = SLICE("a\nb");
	CHECK_INT(cdxj_write(&out, &line), ERR_SYNTAX);
	line.key = SLICE("");
	CHECK_INT(cdxj_write(&out, &line), ERR_SYNTAX);
	CHECK_STR(buf_str(&out), "a 1 {\"url\":\"\"}\n");
	buf_release(&out);
}

/* "key|timestamp|url|mime|status|digest|offset+length|filename", or the error's name. */
static void describe(slice text, struct buf *out)
{
	struct buf scratch;
	struct cdxj c;
	int rc;

	buf_init(&scratch, CDXJ_LINE_MAX);
	rc = cdxj_parse(text, &scratch, &c);
	if (rc)
		(void)buf_add_str(out, rc == ERR_SYNTAX ? "syntax" : err_name(rc));
	else
		(void)buf_printf(out, "%.*s|%s|%.*s|%.*s|%u|%.*s|%llu+%llu|%.*s", (int)c.key.len,
			c.key.ptr, c.timestamp, (int)c.url.len, c.url.ptr, (int)c.mime.len,
			c.mime.ptr, c.status, (int)c.digest.len, c.digest.ptr,
			(unsigned long long)c.offset, (unsigned long long)c.length,
			(int)c.filename.len, c.filename.ptr);
	buf_release(&scratch);
}

static void test_parse(void)
{
	static const struct {
		const char *label;
		const char *in;
		const char *want;
	} rows[] = {
		{"pywb",
			"com,example)/ 20160111232425 {\"url\": \"http://a/\", \"mime\": "
			"\"text/html\", "
			"\"status\": \"200\", \"digest\": \"D\", \"length\": \"1\", \"offset\": "
			"\"2\", \"filename\": \"f\"}",
			"com,example)/|20160111232425|http://a/|text/html|200|D|2+1|f"},
		{"numbers", "k 2016 {\"offset\":7,\"length\":8,\"status\":404}",
			"k|2016|||404||7+8|"},
		{"empty object", "k 1 {}", "k|1|||0||0+0|"},
		{"escapes", "k 1 {\"url\":\"a\\/\\\"\\u00e4\\ud83d\\ude00\\ud83d\\n\"}",
			"k|1|a/\"\xc3\xa4\xf0\x9f\x98\x80\xef\xbf\xbd\n||0||0+0|"},
		{"two escaped strings", "k 1 {\"url\":\"\\u0061b\",\"mime\":\"\\u0063d\"}",
			"k|1|ab|cd|0||0+0|"},
		{"unknown fields",
			"k 1 {\"x\":[1,{\"a\":\"]}\"}],\"y\":null,\"z\":true,\"url\":\"u\"}",
			"k|1|u||0||0+0|"},
		{"no status", "k 1 {\"status\":\"-\"}", "k|1|||0||0+0|"},
		{"absurd status", "k 1 {\"status\":\"1000\"}", "k|1|||0||0+0|"},
		{"blanks behind", "k 1 {} ", "k|1|||0||0+0|"},
		{"empty", "", "syntax"},
		{"key only", "k", "syntax"},
		{"no object", "k 1 ", "syntax"},
		{"timestamp too long", "k 201601112324251 {}", "syntax"},
		{"no timestamp", "k {}", "syntax"},
		{"not closed", "k 1 {\"url\":\"u\"", "syntax"},
		{"string not closed", "k 1 {\"url\":\"u", "syntax"},
		{"bad escape", "k 1 {\"url\":\"\\x\"}", "syntax"},
		{"bad unicode", "k 1 {\"url\":\"\\u00g0\"}", "syntax"},
		{"bad offset", "k 1 {\"offset\":\"x\"}", "syntax"},
		{"text behind", "k 1 {} x", "syntax"},
		{"comma at the end", "k 1 {\"url\":\"u\",}", "syntax"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf out;

		tap_case("parse: %s", rows[i].label);
		buf_init(&out, MAX);
		describe(slice_str(rows[i].in), &out);
		CHECK_STR(buf_str(&out), rows[i].want);
		buf_release(&out);
	}
}

static void test_limits(void)
{
	struct buf in, scratch;
	struct cdxj line;

	buf_init(&in, MAX);
	buf_init(&scratch, CDXJ_LINE_MAX);
	(void)buf_add_str(&in, "k 1 {\"x\":\"");
	while (in.len < CDXJ_LINE_MAX - 2)
		(void)buf_add_char(&in, 'x');
	(void)buf_add_str(&in, "\"}");
	CHECK_INT(cdxj_parse(buf_slice(&in), &scratch, &line), 0);
	(void)buf_add_str(&in, " ");
	CHECK_INT(cdxj_parse(buf_slice(&in), &scratch, &line), ERR_LIMIT);
	for (int extra = 0; extra < 2; extra++) {
		buf_reset(&in);
		(void)buf_add_str(&in, "k 1 {\"x\":");
		for (int i = 0; i < CDXJ_DEPTH_MAX + extra; i++)
			(void)buf_add_char(&in, '[');
		for (int i = 0; i < CDXJ_DEPTH_MAX + extra; i++)
			(void)buf_add_char(&in, ']');
		(void)buf_add_char(&in, '}');
		CHECK_INT(cdxj_parse(buf_slice(&in), &scratch, &line), extra ? ERR_LIMIT : 0);
	}
	line = (struct cdxj){.key = buf_slice(&in), .timestamp = "1"};
	buf_reset(&in);
	while (in.len <= CDXJ_LINE_MAX)
		(void)buf_add_char(&in, 'x');
	line.key = buf_slice(&in);
	scratch.max = MAX;
	CHECK_INT(cdxj_write(&scratch, &line), ERR_LIMIT);
	buf_release(&in);
	buf_release(&scratch);
}

static void test_compare(void)
{
	CHECK(cdxj_compare(SLICE("a"), SLICE("b")) < 0);
	CHECK(cdxj_compare(SLICE("a"), SLICE("a ")) < 0);
	CHECK(cdxj_compare(SLICE("B"), SLICE("a")) < 0);
	CHECK(cdxj_compare(SLICE("\xc3"), SLICE("z")) > 0);
	CHECK(cdxj_compare(SLICE(""), SLICE("")) == 0);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_write);
	test_parse();
	TAP_RUN(test_limits);
	TAP_RUN(test_compare);
	return tap_done();
}
