#include "base/csv.h"

#include <stdlib.h>

#include "base/buf.h"
#include "tap.h"

enum { MAX = 64 << 20 };

static FILE *source; /* of the last open_slice */

/* Reads what stands in memory, through a file. */
static int open_slice(struct csv_reader *r, slice in, unsigned flags, struct err *err)
{
	if (source)
		(void)fclose(source);
	source = tmpfile();
	if (!CHECK(source != NULL))
		return ERR_IO;
	CHECK(in.len == 0 || fwrite(in.ptr, 1, in.len, source) == in.len);
	rewind(source);
	return csv_open_file(r, source, flags, err);
}

/* All records as "line:field|field;" and, at the end, what went wrong. */
static void dump(struct csv_reader *r, struct buf *out)
{
	struct err err = {0};
	struct csv_row row;
	int rc;

	while ((rc = csv_next(r, &row, &err)) == 0) {
		(void)buf_printf(out, "%llu:", (unsigned long long)row.line);
		for (size_t i = 0; i < row.count; i++) {
			(void)buf_add(out, row.fields[i]);
			(void)buf_add_char(out, i + 1 < row.count ? '|' : ';');
		}
	}
	if (rc != ERR_END)
		(void)buf_printf(out, "!%s", err.text);
}

static void test_records(void)
{
	static const struct {
		const char *label;
		slice in;
		const char *want;
	} rows[] = {
		{"empty", SLICE_INIT(""), ""},
		{"one field", SLICE_INIT("a"), "1:a;"},
		{"LF", SLICE_INIT("a,b\nc,d\n"), "1:a|b;2:c|d;"},
		{"CRLF", SLICE_INIT("a,b\r\nc,d\r\n"), "1:a|b;2:c|d;"},
		{"no line end", SLICE_INIT("a,b\nc,d"), "1:a|b;2:c|d;"},
		{"empty fields", SLICE_INIT(",,\n"), "1:||;"},
		{"comma at the end", SLICE_INIT("a,"), "1:a|;"},
		{"blanks stay", SLICE_INIT(" a , b \n"), "1: a | b ;"},
		{"empty lines", SLICE_INIT("\n\r\na\n\n\nb\n\n"), "3:a;6:b;"},
		{"quoted", SLICE_INIT("\"a\",\"b,c\"\n"), "1:a|b,c;"},
		{"quoted empty", SLICE_INIT("\"\"\n\"\",\"\""), "1:;2:|;"},
		{"doubled quotes", SLICE_INIT("\"a\"\"b\"\"\",\"\"\"\",c\n"), "1:a\"b\"|\"|c;"},
		{"line breaks in quotes", SLICE_INIT("\"a\nb\r\nc\",d\ne\n"), "1:a\nb\r\nc|d;4:e;"},
		{"quoted last, no line end", SLICE_INIT("a,\"b\""), "1:a|b;"},
		{"byte order mark", SLICE_INIT("\xef\xbb\xbfpage,rate\n"), "1:page|rate;"},
		{"mark before a quote", SLICE_INIT("\xef\xbb\xbf\"a\"\n"), "1:a;"},
		{"part of a mark", SLICE_INIT("\xef\xbb"), "1:\xef\xbb;"},
		{"ragged without header", SLICE_INIT("a\nb,c\n"), "1:a;2:b|c;"},
		{"quote inside", SLICE_INIT("a\nb\"c\n"),
			"1:a;!line 2: quote inside an unquoted field"},
		{"text after quote", SLICE_INIT("\"a\"b\n"), "!line 1: text after a closing quote"},
		{"blank after quote", SLICE_INIT("\"a\" ,b\n"),
			"!line 1: text after a closing quote"},
		{"quote never closed", SLICE_INIT("a\nb\n\"c\nd\n"),
			"1:a;2:b;!line 3: quote is never closed"},
		{"closed by a doubled one only", SLICE_INIT("\"a\"\""),
			"!line 1: quote is never closed"},
		{"error on a later line of a record", SLICE_INIT("\"a\n\nb\",c\"\n"),
			"!line 3: quote inside an unquoted field"},
		{"lone carriage return", SLICE_INIT("a\rb\n"),
			"!line 1: carriage return without a line feed"},
		{"carriage return last", SLICE_INIT("a\r"),
			"!line 1: carriage return without a line feed"},
		{"NUL", SLICE_INIT("a\nb\0c\n"), "1:a;!line 2: NUL byte"},
		{"NUL in quotes", SLICE_INIT("\"b\0c\"\n"), "!line 1: NUL byte"},
		{"NUL after quotes", SLICE_INIT("\"b\"\0\n"), "!line 1: NUL byte"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct csv_reader r;
		struct err err = {0};
		struct buf out;

		tap_case("records: %s", rows[i].label);
		buf_init(&out, MAX);
		if (CHECK_INT(open_slice(&r, rows[i].in, 0, &err), 0))
			dump(&r, &out);
		CHECK_STR(buf_str(&out), rows[i].want);
		csv_close(&r);
		buf_release(&out);
	}
}

static void test_header(void)
{
	static const struct {
		const char *label;
		slice in;
		const char *want;
	} rows[] = {
		{"plain", SLICE_INIT("page,rate\np,1\n"), "2:p|1;"},
		{"nothing else", SLICE_INIT("page,rate\n"), ""},
		{"too few fields", SLICE_INIT("page,rate\np,1\nq\n"),
			"2:p|1;!line 3: 1 field, but the header has 2"},
		{"too many fields", SLICE_INIT("page,rate\n\np,1,2\n"),
			"!line 3: 3 fields, but the header has 2"},
		{"empty input", SLICE_INIT(""),
			"!line 1: a header was expected, but the input is empty"},
		{"empty lines only", SLICE_INIT("\n\n"),
			"!line 3: a header was expected, but the input is empty"},
		{"a column twice", SLICE_INIT("page,rate,page\n"),
			"!line 1: column 'page' is given twice"},
		{"broken header", SLICE_INIT("pa\"ge\n"),
			"!line 1: quote inside an unquoted field"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct csv_reader r;
		struct err err = {0};
		struct buf out;

		tap_case("header: %s", rows[i].label);
		buf_init(&out, MAX);
		if (open_slice(&r, rows[i].in, CSV_HEADER, &err))
			(void)buf_printf(&out, "!%s", err.text);
		else
			dump(&r, &out);
		CHECK_STR(buf_str(&out), rows[i].want);
		csv_close(&r);
		buf_release(&out);
	}
}

static void test_columns(void)
{
	struct csv_reader r;
	struct csv_row row;

	CHECK_INT(open_slice(&r, SLICE("page,\"the rate\",\np,1,2\n"), CSV_HEADER, NULL), 0);
	CHECK_INT(csv_next(&r, &row, NULL), 0);
	CHECK_INT(csv_column(&r, SLICE("page")), 0);
	CHECK_INT(csv_column(&r, SLICE("the rate")), 1);
	CHECK_INT(csv_column(&r, SLICE("")), 2);
	CHECK_INT(csv_column(&r, SLICE("rat")), -1);
	csv_close(&r);
}

/* Records of all kinds, many times the buffer, so that its end falls everywhere in them. */
static void test_buffer_boundaries(void)
{
	static const slice record = SLICE_INIT("page,\"a \"\"quoted\"\"\nfield\",,12.5\r\n");
	static const slice want = SLICE_INIT("a \"quoted\"\nfield");
	struct csv_reader r;
	struct csv_row row;
	struct buf in;
	uint64_t n = 0;

	buf_init(&in, MAX);
	for (int i = 0; i < 20000; i++)
		(void)buf_add(&in, record);
	CHECK_INT(open_slice(&r, buf_slice(&in), 0, NULL), 0);
	for (; csv_next(&r, &row, NULL) == 0; n++) {
		if (!CHECK_INT((int64_t)row.count, 4) ||
			!CHECK_INT((int64_t)row.line, (int64_t)(2 * n + 1)) ||
			!CHECK_SLICE(row.fields[0], SLICE("page")) ||
			!CHECK_SLICE(row.fields[1], want) ||
			!CHECK_SLICE(row.fields[2], SLICE("")) ||
			!CHECK_SLICE(row.fields[3], SLICE("12.5")))
			break;
	}
	CHECK_INT((int64_t)n, 20000);
	csv_close(&r);
	buf_release(&in);
}

/* What a reader says of a record made of len bytes x between the two texts. */
static void check_long(slice before, size_t len, slice after, int want_rc, const char *want_text)
{
	struct csv_reader r;
	struct err err = {0};
	struct csv_row row;
	struct buf in;
	int rc;

	buf_init(&in, 3 * (size_t)CSV_RECORD_MAX);
	(void)buf_add(&in, before);
	if (CHECK_INT(buf_reserve(&in, len), 0)) {
		memset(in.ptr + in.len, 'x', len);
		in.len += len;
	}
	(void)buf_add(&in, after);
	rc = open_slice(&r, buf_slice(&in), 0, &err);
	if (rc == 0)
		rc = csv_next(&r, &row, &err);
	CHECK_INT(rc, want_rc);
	CHECK_STR(err.text, want_text);
	csv_close(&r);
	buf_release(&in);
}

static void test_limits(void)
{
	static const char too_long[] = "line 1: field is too long";

	tap_case("limits: longest field");
	check_long(SLICE(""), CSV_FIELD_MAX, SLICE("\n"), 0, "");
	tap_case("limits: longest quoted field");
	check_long(SLICE("a,\""), CSV_FIELD_MAX, SLICE("\"\n"), 0, "");
	tap_case("limits: field one byte too long");
	check_long(SLICE(""), CSV_FIELD_MAX + 1, SLICE("\n"), ERR_LIMIT, too_long);
	tap_case("limits: quoted field one byte too long");
	check_long(SLICE("\""), CSV_FIELD_MAX + 1, SLICE("\",a\n"), ERR_LIMIT, too_long);
	tap_case("limits: record too long");
	check_long(SLICE("a,\""), CSV_RECORD_MAX + 1, SLICE("\"\n"), ERR_LIMIT,
		"line 1: record is too long");
}

static void test_too_many_fields(void)
{
	struct csv_reader r;
	struct err err = {0};
	struct csv_row row;
	char *commas = malloc(CSV_FIELDS_MAX);

	CHECK(commas != NULL);
	if (!commas)
		return;
	memset(commas, ',', CSV_FIELDS_MAX);
	CHECK_INT(open_slice(&r, (slice){commas, CSV_FIELDS_MAX - 1}, 0, &err), 0);
	CHECK_INT(csv_next(&r, &row, &err), 0);
	CHECK_INT((int64_t)row.count, CSV_FIELDS_MAX);
	csv_close(&r);
	CHECK_INT(open_slice(&r, (slice){commas, CSV_FIELDS_MAX}, 0, &err), 0);
	CHECK_INT(csv_next(&r, &row, &err), ERR_LIMIT);
	CHECK_STR(err.text, "line 1: too many fields");
	csv_close(&r);
	free(commas);
}

static void test_file(void)
{
	FILE *file = tmpfile();
	struct csv_reader r;
	struct buf out;

	CHECK(file != NULL);
	if (!file)
		return;
	buf_init(&out, MAX);
	(void)fputs("page,rate\np,1\n", file);
	rewind(file);
	if (CHECK_INT(csv_open_file(&r, file, CSV_HEADER, NULL), 0))
		dump(&r, &out);
	CHECK_STR(buf_str(&out), "2:p|1;");
	csv_close(&r);
	(void)fclose(file);
	buf_release(&out);
}

/* The first bytes are read already, up to the middle of a record. */
static void test_begun(void)
{
	FILE *file = tmpfile();
	struct csv_reader r;
	struct csv_row row;

	if (!CHECK(file != NULL))
		return;
	CHECK(fputs("2\nx,y\n", file) >= 0);
	rewind(file);
	if (CHECK_INT(csv_open_begun(&r, SLICE("a,b\n1,"), file, CSV_HEADER, NULL), 0)) {
		CHECK_INT(csv_column(&r, SLICE("b")), 1);
		CHECK_INT(csv_next(&r, &row, NULL), 0);
		CHECK(slice_eq(row.fields[1], SLICE("2")) && row.line == 2);
		CHECK_INT(csv_next(&r, &row, NULL), 0);
		CHECK(slice_eq(row.fields[0], SLICE("x")) && row.line == 3);
		CHECK_INT(csv_next(&r, &row, NULL), ERR_END);
		csv_close(&r);
	}
	(void)fclose(file);
}

static void test_read_error(void)
{
	FILE *file = fopen(tap_tempdir(), "r"); /* a directory opens, but cannot be read */
	struct csv_reader r;
	struct err err = {0};

	CHECK(file != NULL);
	if (!file)
		return;
	CHECK_INT(csv_open_file(&r, file, CSV_HEADER, &err), ERR_IO);
	CHECK_STR(err.text, "line 1: Is a directory");
	(void)fclose(file);
}

static void test_written_fields_are_read_back(void)
{
	static const slice fields[] = {SLICE_INIT("\xef\xbb\xbfmark"), SLICE_INIT("plain"),
		SLICE_INIT(""), SLICE_INIT("a,b"), SLICE_INIT("say \"hi\""),
		SLICE_INIT("two\nlines"), SLICE_INIT("cr\r"), SLICE_INIT(" blank ")};
	FILE *file = tmpfile();
	struct csv_reader r;
	struct csv_row row;

	CHECK(file != NULL);
	if (!file)
		return;
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		csv_write_field(file, fields[i]);
		(void)putc(i + 1 < ARRAY_LEN(fields) ? ',' : '\n', file);
	}
	rewind(file);
	CHECK_INT(csv_open_file(&r, file, 0, NULL), 0);
	if (CHECK_INT(csv_next(&r, &row, NULL), 0) &&
		CHECK_INT((int64_t)row.count, ARRAY_LEN(fields)))
		for (size_t i = 0; i < row.count; i++)
			CHECK_SLICE(row.fields[i], fields[i]);
	csv_close(&r);
	(void)fclose(file);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_records();
	test_header();
	TAP_RUN(test_columns);
	TAP_RUN(test_buffer_boundaries);
	test_limits();
	TAP_RUN(test_too_many_fields);
	TAP_RUN(test_file);
	TAP_RUN(test_begun);
	TAP_RUN(test_read_error);
	TAP_RUN(test_written_fields_are_read_back);
	if (source)
		(void)fclose(source);
	return tap_done();
}
