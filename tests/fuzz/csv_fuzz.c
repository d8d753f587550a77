/*
 * The CSV reader: any input is read or refused, never more. What was read comes back the same when
 * it is written and read again.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* Writes a record. A single empty field needs quotes: an empty line is no record. */
static void write_row(FILE *out, const struct csv_row *row)
{
	for (size_t i = 0; i < row->count; i++) {
		if (i > 0)
			(void)fputc(',', out);
		csv_write_field(out, row->fields[i]);
	}
	if (row->count == 1 && row->fields[0].len == 0)
		(void)fputs("\"\"", out);
	(void)fputc('\n', out);
}

/* All records that could be read, written again, and how reading them ended. */
struct text {
	char *ptr;
	size_t len;
	int rc;
};

/* Closes the reader. The caller frees the text. */
static struct text rewrite(struct csv_reader *r)
{
	struct text text = {0};
	FILE *out = open_memstream(&text.ptr, &text.len);
	struct csv_row row;
	struct err err = {0};

	require(out != NULL);
	while ((text.rc = csv_next(r, &row, &err)) == 0)
		write_row(out, &row);
	csv_close(r);
	require(fclose(out) == 0);
	return text;
}

static FILE *open_input(slice input)
{
	FILE *f = tmpfile();

	require(f && fwrite(input.ptr, 1, input.len, f) == input.len);
	rewind(f);
	return f;
}

static struct text rewrite_input(slice input)
{
	struct csv_reader r;
	struct err err = {0};
	struct text text = {0};
	FILE *f = open_input(input);

	text.rc = csv_open_file(&r, f, 0, &err);
	if (text.rc == 0)
		text = rewrite(&r);
	(void)fclose(f);
	return text;
}

static bool same(struct text a, struct text b)
{
	return slice_eq((slice){a.ptr, a.len}, (slice){b.ptr, b.len});
}

static void read_with_header(slice input)
{
	struct csv_reader r;
	struct csv_row row;
	struct err err = {0};
	FILE *f = open_input(input);
	int rc = csv_open_file(&r, f, CSV_HEADER, &err);

	if (rc) {
		require(err.text[0] != '\0');
		(void)fclose(f);
		return;
	}
	while ((rc = csv_next(&r, &row, &err)) == 0)
		require(row.count == r.header.len);
	require(rc == ERR_END || err.text[0] != '\0');
	(void)csv_column(&r, SLICE("page"));
	csv_close(&r);
	(void)fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice input = {(const char *)data, size};
	struct text once = rewrite_input(input);
	struct text again = rewrite_input((slice){once.ptr, once.len});

	require(again.rc == ERR_END && same(once, again));
	read_with_header(input);
	free(once.ptr);
	free(again.ptr);
	return 0;
}
