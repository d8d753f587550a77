#include "formats/http_fields.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "tap.h"

enum { MAX = 1 << 20 };

/* "first line|name=value|…", and "!n" for n malformed lines. */
static void dump(const struct fields *f, struct buf *out)
{
	(void)buf_add(out, f->first_line);
	for (size_t i = 0; i < f->items.len; i++) {
		(void)buf_add_char(out, '|');
		(void)buf_add(out, f->items.ptr[i].name);
		(void)buf_add_char(out, '=');
		(void)buf_add(out, f->items.ptr[i].value);
	}
	if (f->malformed)
		(void)buf_printf(out, "!%zu", f->malformed);
}

static void test_heads(void)
{
	static const struct {
		const char *label;
		const char *in;
		const char *want;
	} rows[] = {
		{"empty", "", ""},
		{"first line only", "WARC/1.0\r\n\r\n", "WARC/1.0"},
		{"CRLF", "A\r\nb: c\r\nd: e\r\n\r\n", "A|b=c|d=e"},
		{"LF", "A\nb: c\nd: e\n\n", "A|b=c|d=e"},
		{"no empty line", "A\r\nb: c", "A|b=c"},
		{"nothing behind the empty line", "A\r\nb: c\r\n\r\nd: e\r\n", "A|b=c"},
		{"blanks", "A\r\n b : c\r\nb \t:\t c \r\n", "A|b=c!1"},
		{"no value", "A\r\nb:\r\nc: \r\n", "A|b=|c="},
		{"colons in the value", "A\r\nb: http://c:80/\r\n", "A|b=http://c:80/"},
		{"folded", "A\r\nb: c\r\n d\r\n\te\r\nf: g\r\n", "A|b=c d e|f=g"},
		{"folded, nothing first", "A\r\nb:\r\n  c\r\n", "A|b=c"},
		{"folded, nothing second", "A\r\nb: c\r\n  \r\nd: e\r\n", "A|b=c|d=e"},
		{"no colon", "A\r\nb\r\nc: d\r\n", "A|c=d!1"},
		{"no name", "A\r\n: b\r\nc: d\r\n", "A|c=d!1"},
		{"a fold behind a malformed line", "A\r\nb: c\r\nx\r\n y\r\n", "A|b=c!2"},
	};
	struct fields f = {0};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *head = strdup(rows[i].in);
		struct buf out;

		tap_case("head: %s", rows[i].label);
		buf_init(&out, MAX);
		CHECK_INT(fields_parse(&f, head, strlen(head)), 0);
		dump(&f, &out);
		CHECK_STR(buf_str(&out), rows[i].want);
		buf_release(&out);
		free(head);
	}
	fields_release(&f);
}

static void test_find_end(void)
{
	static const struct {
		const char *label;
		const char *in;
		size_t want;
	} rows[] = {
		{"empty", "", 0},
		{"CRLF", "a\r\n\r\nb", 5},
		{"LF", "a\n\nb", 3},
		{"mixed", "a\n\r\nb", 4},
		{"not yet", "a\r\nb\r\n", 0},
		{"cut in the end", "a\r\n\r", 0},
		{"a carriage return alone", "a\n\rb\n\n", 6},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		slice in = slice_str(rows[i].in);
		size_t from = 0, got = 0;

		tap_case("end: %s", rows[i].label);
		CHECK_INT(fields_find_end(in, &from), rows[i].want);
		from = 0;
		for (size_t len = 0; len <= in.len && got == 0; len++)
			got = fields_find_end(slice_sub(in, 0, len), &from);
		CHECK_INT(got, rows[i].want);
	}
}

static void test_get(void)
{
	char head[] = "A\r\nName: first\r\nNAME: second\r\nEmpty:\r\n\r\n";
	struct fields f = {0};

	CHECK_INT(fields_parse(&f, head, sizeof head - 1), 0);
	CHECK_SLICE(fields_get(&f, SLICE("name")), SLICE("first"));
	CHECK_SLICE(fields_get(&f, SLICE("empty")), SLICE(""));
	CHECK(fields_get(&f, SLICE("empty")).ptr != NULL);
	CHECK(fields_get(&f, SLICE("nam")).ptr == NULL);
	fields_release(&f);
}

static void test_limit(void)
{
	struct fields f = {0};
	struct buf head;

	buf_init(&head, MAX);
	(void)buf_add_str(&head, "A\r\n");
	for (int i = 0; i < FIELDS_COUNT_MAX; i++)
		(void)buf_add_str(&head, "b: c\r\n");
	CHECK_INT(fields_parse(&f, head.ptr, head.len), 0);
	CHECK_INT(f.items.len, FIELDS_COUNT_MAX);
	(void)buf_add_str(&head, "b: c\r\n");
	CHECK_INT(fields_parse(&f, head.ptr, head.len), ERR_LIMIT);
	CHECK_INT(f.items.len, 0);
	buf_release(&head);
	fields_release(&f);
}

static void test_media_type(void)
{
	CHECK_SLICE(fields_media_type(SLICE("text/html; charset=utf-8")), SLICE("text/html"));
	CHECK_SLICE(fields_media_type(SLICE(" text/html ")), SLICE("text/html"));
	CHECK(fields_media_type((slice){0}).ptr == NULL);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_heads();
	test_find_end();
	TAP_RUN(test_get);
	TAP_RUN(test_limit);
	TAP_RUN(test_media_type);
	return tap_done();
}
