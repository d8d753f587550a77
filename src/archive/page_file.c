#include "archive/page_file.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/word.h"

static const slice BOM = SLICE_INIT("\xef\xbb\xbf");

int page_file_fail(const struct page_file *f, uint64_t line, struct err *err)
{
	if (line)
		err_prefix(err, "%.200s:%llu", f->path, (unsigned long long)line);
	else
		err_prefix(err, "%.200s", f->path);
	return err->code;
}

/* The CSV reader says "line N: …". */
static int fail_csv(const struct page_file *f, struct err *err)
{
	static const char LINE[] = "line ";
	struct err csv = *err;
	uint64_t line = 0;
	char *text = csv.text;

	if (strncmp(text, LINE, sizeof LINE - 1) == 0) {
		line = strtoull(text + sizeof LINE - 1, &text, 10);
		text += strspn(text, ": ");
	}
	(void)err_set(err, csv.code, "%s", text);
	return page_file_fail(f, line, err);
}

static int find_columns(struct page_file *f, struct err *err)
{
	f->url = csv_column(&f->csv, SLICE("url"));
	if (f->url < 0)
		f->url = csv_column(&f->csv, SLICE("page"));
	f->rate = csv_column(&f->csv, SLICE("rate"));
	f->class = csv_column(&f->csv, SLICE("class"));
	for (size_t i = 0; i < PAGE_FILE_OFFLINE; i++)
		f->offline[i] = csv_column(&f->csv, slice_str(feature_name(FEATURES_ONLINE + i)));
	if (f->url >= 0)
		return 0;
	(void)err_set(err, ERR_SYNTAX, "no column 'url' (the header names the columns)");
	return page_file_fail(f, 1, err);
}

/* Whether one of the line's columns is url or page. */
static bool is_header(slice line)
{
	if (slice_starts_with(line, BOM))
		line = slice_sub(line, BOM.len, line.len);
	while (line.len > 0 && word_is_space(line.ptr[line.len - 1]))
		line.len--;
	while (line.len > 0) {
		slice name = slice_take(&line, ',');

		if (name.len > 1 && name.ptr[0] == '"')
			name = slice_sub(name, 1, name.len - 1);
		if (slice_eq(name, SLICE("url")) || slice_eq(name, SLICE("page")))
			return true;
	}
	return false;
}

/* ERR_END without a message. */
static int read_line(struct page_file *f, struct err *err)
{
	f->number++;
	if (!fgets(f->line, sizeof f->line, f->file)) {
		if (!ferror(f->file))
			return ERR_END;
		(void)err_set(err, ERR_IO, "%s", strerror(errno));
		return page_file_fail(f, 0, err);
	}
	if (strchr(f->line, '\n') || feof(f->file))
		return 0;
	(void)err_set(err, ERR_SYNTAX, "the line is too long, or contains a NUL");
	return page_file_fail(f, f->number, err);
}

/* Reads the first line to see what the file is. */
static int open_either(struct page_file *f, struct err *err)
{
	int rc = read_line(f, err);

	f->is_list = rc || !is_header(slice_str(f->line));
	f->is_begun = rc == 0;
	if (f->is_list)
		return rc == ERR_END ? 0 : rc;
	rc = csv_open_begun(&f->csv, slice_str(f->line), f->file, CSV_HEADER, err);
	return rc ? fail_csv(f, err) : find_columns(f, err);
}

int page_file_open(struct page_file *f, const char *path, bool may_be_list, struct err *err)
{
	int rc;

	*f = (struct page_file){.path = path};
	f->file = strcmp(path, "-") == 0 ? stdin : file_stream(path, "rbe");
	if (!f->file)
		return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	if (strcmp(path, "-") == 0)
		f->path = "standard input";
	if (may_be_list)
		return open_either(f, err);
	rc = csv_open_file(&f->csv, f->file, CSV_HEADER, err);
	return rc ? fail_csv(f, err) : find_columns(f, err);
}

void page_file_close(struct page_file *f)
{
	csv_close(&f->csv);
	if (f->file && f->file != stdin)
		(void)fclose(f->file);
	f->file = NULL;
}

static slice trim(slice line, bool is_first)
{
	size_t from = is_first && slice_starts_with(line, BOM) ? BOM.len : 0, end;

	while (from < line.len && word_is_space(line.ptr[from]))
		from++;
	line = slice_sub(line, from, line.len);
	for (end = 0; end < line.len; end++)
		if (line.ptr[end] == '#' && (end == 0 || word_is_space(line.ptr[end - 1])))
			break;
	while (end > 0 && word_is_space(line.ptr[end - 1]))
		end--;
	return slice_sub(line, 0, end);
}

static int next_of_list(struct page_file *f, struct page_file_entry *ret, struct err *err)
{
	do {
		int rc = f->is_begun ? 0 : read_line(f, err);

		f->is_begun = false;
		if (rc)
			return rc;
		ret->url = trim(slice_str(f->line), f->number == 1);
	} while (ret->url.len == 0);
	ret->line = f->number;
	return 0;
}

/* An empty field is a missing number. */
static int read_number(const struct csv_row *row, int column, const char *name, double max,
	double *ret, struct err *err)
{
	*ret = NAN;
	if (column < 0 || row->fields[column].len == 0)
		return 0;
	return csv_number(row->fields[column], name, max, ret, err);
}

static int next_of_csv(struct page_file *f, struct page_file_entry *ret, struct err *err)
{
	struct csv_row row;
	double number;
	int rc = csv_next(&f->csv, &row, err);

	if (rc)
		return rc == ERR_END ? rc : fail_csv(f, err);
	ret->url = row.fields[f->url];
	ret->line = row.line;
	if (ret->url.len == 0)
		rc = err_set(err, ERR_SYNTAX, "the URL is missing");
	if (rc == 0)
		rc = read_number(&row, f->rate, "rate", DBL_MAX, &ret->rate, err);
	if (f->class >= 0)
		ret->class = row.fields[f->class];
	for (size_t i = 0; rc == 0 && i < PAGE_FILE_OFFLINE; i++) {
		rc = read_number(&row, f->offline[i], feature_name(FEATURES_ONLINE + i), FLT_MAX,
			&number, err);
		ret->offline[i] = rc ? NAN : (float)number;
	}
	return rc ? page_file_fail(f, row.line, err) : 0;
}

int page_file_next(struct page_file *f, struct page_file_entry *ret, struct err *err)
{
	*ret = (struct page_file_entry){.rate = NAN};
	for (size_t i = 0; i < PAGE_FILE_OFFLINE; i++)
		ret->offline[i] = NAN;
	return f->is_list ? next_of_list(f, ret, err) : next_of_csv(f, ret, err);
}
