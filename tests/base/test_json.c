#include "base/json.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "tap.h"

enum { MAX = 1 << 20 };

static void test_strings(void)
{
	static const struct {
		const char *label;
		slice in;
		const char *want;
	} rows[] = {
		{"empty", SLICE_INIT(""), "\"\""},
		{"plain", SLICE_INIT("still point"), "\"still point\""},
		{"quote and backslash", SLICE_INIT("a\"b\\c"), "\"a\\\"b\\\\c\""},
		{"short escapes", SLICE_INIT("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\""},
		{"controls", SLICE_INIT("a\0b\x1f\x7f"), "\"a\\u0000b\\u001f\\u007f\""},
		{"C1", SLICE_INIT("\xc2\x9b[31m\xc2\xa0"), "\"\\u009b[31m\xc2\xa0\""},
		{"directions of writing",
			SLICE_INIT("\xe2\x80\xae"
				   "a\xe2\x81\xa6\xd8\x9c\xe2\x80\xa8\xe2\x82\xac"),
			"\"\\u202ea\\u2066\\u061c\\u2028\xe2\x82\xac\""},
		{"slash stays", SLICE_INIT("http://a/"), "\"http://a/\""},
		{"two bytes", SLICE_INIT("\xc3\xa9"), "\"\xc3\xa9\""},
		{"three bytes", SLICE_INIT("\xe2\x82\xac"), "\"\xe2\x82\xac\""},
		{"four bytes", SLICE_INIT("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\""},
		{"last code point", SLICE_INIT("\xf4\x8f\xbf\xbf"), "\"\xf4\x8f\xbf\xbf\""},
		{"beyond the last", SLICE_INIT("\xf4\x90\x80\x80"), "\"\uFFFD\uFFFD\uFFFD\uFFFD\""},
		{"lone continuation", SLICE_INIT("a\x80z"), "\"a\uFFFDz\""},
		{"overlong of two", SLICE_INIT("\xc0\xaf"), "\"\uFFFD\uFFFD\""},
		{"overlong of three", SLICE_INIT("\xe0\x80\xaf"), "\"\uFFFD\uFFFD\uFFFD\""},
		{"surrogate", SLICE_INIT("\xed\xa0\x80"), "\"\uFFFD\uFFFD\uFFFD\""},
		{"cut in the middle", SLICE_INIT("\xe2\x82"), "\"\uFFFD\""},
		{"cut before ASCII", SLICE_INIT("\xf0\x9f\x98!"), "\"\uFFFD!\""},
		{"cut before a quote", SLICE_INIT("\xe2\""), "\"\uFFFD\\\"\""},
		{"latin-1", SLICE_INIT("caf\xe9"), "\"caf\uFFFD\""},
		{"bytes that never occur", SLICE_INIT("\xfe\xff"), "\"\uFFFD\uFFFD\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json j;
		struct buf b;

		tap_case("string: %s", rows[i].label);
		buf_init(&b, MAX);
		json_init_buf(&j, &b, 0);
		json_slice(&j, rows[i].in);
		CHECK_INT(json_finish(&j), 0);
		CHECK_STR(buf_str(&b), rows[i].want);
		buf_release(&b);
	}
}

static void write_numbers(struct json *j)
{
	json_array_begin(j);
	json_int(j, 0);
	json_int(j, -5);
	json_int(j, INT64_MIN);
	json_int(j, INT64_MAX);
	json_uint(j, UINT64_MAX);
	json_double(j, 0.1);
	json_double(j, -2.5e-9);
	json_double(j, 3);
	json_double(j, NAN);
	json_double(j, INFINITY);
	json_double(j, -INFINITY);
	json_bool(j, true);
	json_bool(j, false);
	json_null(j);
	json_array_end(j);
}

static void write_nested(struct json *j)
{
	json_object_begin(j);
	json_key(j, "empty");
	json_object_begin(j);
	json_object_end(j);
	json_key(j, "none");
	json_array_begin(j);
	json_array_end(j);
	json_key(j, "a\"b");
	json_array_begin(j);
	json_object_begin(j);
	json_key(j, "page");
	json_string(j, "p1");
	json_key(j, "revisit");
	json_string(j, NULL);
	json_object_end(j);
	json_int(j, 2);
	json_array_end(j);
	json_object_end(j);
}

static void write_lines(struct json *j)
{
	json_int(j, 1);
	json_object_begin(j);
	json_object_end(j);
	json_string(j, "x");
}

static void write_markup(struct json *j)
{
	json_object_begin(j);
	json_key(j, "<k>");
	json_string(j, "</script><!-- & 'x'");
	json_object_end(j);
}

static void write_document(struct json *j)
{
	json_document_begin(j);
	json_put_bool(j, "ok", true);
	json_object_end(j);
}

static void test_documents(void)
{
	static const struct {
		const char *label;
		void (*write)(struct json *);
		unsigned flags;
		const char *want;
	} rows[] = {
		{"numbers and literals", write_numbers, 0,
			"[0,-5,-9223372036854775808,9223372036854775807,18446744073709551615,0.1,"
			"-2.5e-09,3,null,null,null,true,false,null]"},
		{"nested", write_nested, 0,
			"{\"empty\":{},\"none\":[],\"a\\\"b\":[{\"page\":\"p1\",\"revisit\":null},"
			"2]}"},
		{"with a newline", write_nested, JSON_LINES,
			"{\"empty\":{},\"none\":[],\"a\\\"b\":[{\"page\":\"p1\",\"revisit\":null},"
			"2]}"
			"\n"},
		{"pretty", write_nested, JSON_PRETTY | JSON_LINES,
			"{\n  \"empty\": {},\n  \"none\": [],\n  \"a\\\"b\": [\n    {\n"
			"      \"page\": \"p1\",\n      \"revisit\": null\n    },\n    2\n  "
			"]\n}\n"},
		{"a command's document", write_document, 0, "{\"schema\":1,\"ok\":true}"},
		{"lines", write_lines, JSON_LINES, "1\n{}\n\"x\"\n"},
		{"markup", write_markup, 0, "{\"<k>\":\"</script><!-- & 'x'\"}"},
		{"markup in a script", write_markup, JSON_SCRIPT,
			"{\"\\u003ck>\":\"\\u003c/script>\\u003c!-- & 'x'\"}"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct json j;
		struct buf b;

		tap_case("document: %s", rows[i].label);
		buf_init(&b, MAX);
		json_init_buf(&j, &b, rows[i].flags);
		rows[i].write(&j);
		CHECK_INT(json_finish(&j), 0);
		CHECK_STR(buf_str(&b), rows[i].want);
		buf_release(&b);
	}
}

static void test_deepest_nesting(void)
{
	struct json j;
	struct buf b;

	buf_init(&b, MAX);
	json_init_buf(&j, &b, 0);
	for (int i = 0; i < JSON_DEPTH_MAX / 2; i++) {
		json_array_begin(&j);
		json_object_begin(&j);
		json_key(&j, "k");
	}
	json_null(&j);
	for (int i = 0; i < JSON_DEPTH_MAX / 2; i++) {
		json_object_end(&j);
		json_array_end(&j);
	}
	CHECK_INT(json_finish(&j), 0);
	CHECK_INT((int64_t)b.len, JSON_DEPTH_MAX / 2 * 8 + 4);
	buf_release(&b);
}

/* Strings of every length around that of the stage, so that they meet its end everywhere. */
static void test_stage_boundaries(void)
{
	const size_t size = (size_t)3 * JSON_STAGE_SIZE;
	char *text = malloc(size);
	struct json j;
	struct buf b;

	CHECK(text != NULL);
	if (!text)
		return;
	memset(text, 'x', size);
	buf_init(&b, MAX);
	for (size_t len = JSON_STAGE_SIZE - 10; len < 2 * JSON_STAGE_SIZE + 10; len += 7) {
		buf_reset(&b);
		json_init_buf(&j, &b, 0);
		json_array_begin(&j);
		json_int(&j, 12345);
		json_slice(&j, (slice){text, len});
		json_int(&j, 67890);
		json_array_end(&j);
		CHECK_INT(json_finish(&j), 0);
		CHECK_INT((int64_t)b.len, (int64_t)len + 16);
		CHECK_SLICE(slice_sub(buf_slice(&b), 0, 9), SLICE("[12345,\"x"));
		CHECK_SLICE(slice_sub(buf_slice(&b), b.len - 9, b.len), SLICE("x\",67890]"));
	}
	buf_release(&b);
	free(text);
}

static void test_buffer_maximum(void)
{
	struct json j;
	struct buf b;

	buf_init(&b, 10);
	json_init_buf(&j, &b, 0);
	json_string(&j, "longer than ten bytes");
	CHECK_INT(json_finish(&j), ERR_LIMIT);
	buf_release(&b);
}

static void test_full_disk(void)
{
	FILE *file = fopen("/dev/full", "w");
	struct json j;

	if (!file) {
		tap_skip("no /dev/full");
		return;
	}
	json_init_file(&j, file, JSON_LINES);
	json_array_begin(&j);
	for (int i = 0; i < 100000; i++)
		json_int(&j, i);
	json_array_end(&j);
	CHECK_INT(json_finish(&j), ERR_IO);
	json_init_file(&j, file, 0);
	json_null(&j); /* little: fails only when flushed */
	CHECK_INT(json_finish(&j), ERR_IO);
	(void)fclose(file);
}

/* Here writing fails, but flushing nothing does not. */
static void test_file_not_open_for_writing(void)
{
	FILE *file = fopen("/dev/null", "r");
	struct json j;

	CHECK(file != NULL);
	if (!file)
		return;
	json_init_file(&j, file, 0);
	json_null(&j);
	CHECK_INT(json_finish(&j), ERR_IO);
	(void)fclose(file);
}

static void test_file(void)
{
	FILE *file = tmpfile();
	char text[64] = "";
	struct json j;

	CHECK(file != NULL);
	if (!file)
		return;
	json_init_file(&j, file, JSON_LINES);
	write_lines(&j);
	CHECK_INT(json_finish(&j), 0);
	rewind(file);
	CHECK_INT((int64_t)fread(text, 1, sizeof text - 1, file), 9);
	CHECK_STR(text, "1\n{}\n\"x\"\n");
	(void)fclose(file);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_strings();
	test_documents();
	TAP_RUN(test_deepest_nesting);
	TAP_RUN(test_stage_boundaries);
	TAP_RUN(test_buffer_maximum);
	TAP_RUN(test_full_disk);
	TAP_RUN(test_file_not_open_for_writing);
	TAP_RUN(test_file);
	return tap_done();
}
