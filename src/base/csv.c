#include "base/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/parse.h"
#include "base/utf8.h"

/* Bytes that may stand only between quotes. */
static const bool QUOTED[256] = {[','] = true, ['"'] = true, ['\r'] = true, ['\n'] = true};

static bool needs_quotes(slice field)
{
	static const slice mark = SLICE_INIT("\xef\xbb\xbf");

	/* At the start of a file the byte order mark would not be taken for a part of the field. */
	if (slice_eq(slice_sub(field, 0, mark.len), mark))
		return true;
	for (size_t i = 0; i < field.len; i++)
		if (QUOTED[(unsigned char)field.ptr[i]])
			return true;
	return false;
}

/* U+FFFD for what a terminal would obey; tabs and line ends are text. */
static void write_text(FILE *file, slice text)
{
	while (text.len > 0) {
		const unsigned char *p = (const unsigned char *)text.ptr;
		bool is_blank = p[0] == '\t' || p[0] == '\n' || p[0] == '\r', is_sound;
		size_t control = is_blank ? 0 : utf8_control(p, text.len);
		size_t len = utf8_length(p, text.len, &is_sound);

		if (control > 0)
			(void)fputs(UTF8_REPLACEMENT, file);
		else if (p[0] == '"')
			(void)fputs("\"\"", file);
		else
			(void)fwrite(p, 1, len, file);
		text = slice_sub(text, len, text.len);
	}
}

void csv_write_field(FILE *file, slice field)
{
	bool is_quoted = needs_quotes(field);

	if (is_quoted)
		(void)putc('"', file);
	write_text(file, field);
	if (is_quoted)
		(void)putc('"', file);
}

enum {
	FIRST_CAP = 64 << 10,
	SHOWN_MAX = 80,   /* bytes of a field in a message */
	STOPS_PLAIN = 1,  /* a byte that an unquoted field is read up to */
	STOPS_QUOTED = 2, /* the same for a quoted one; line breaks because they are counted */
};

/* NUL stops everything: it ends the buffer, and it is refused elsewhere. */
static const unsigned char STOPS[256] = {
	['\0'] = STOPS_PLAIN | STOPS_QUOTED,
	['"'] = STOPS_PLAIN | STOPS_QUOTED,
	['\n'] = STOPS_PLAIN | STOPS_QUOTED,
	['\r'] = STOPS_PLAIN,
	[','] = STOPS_PLAIN,
};

/* All positions in a record are counted from its start: the buffer may move under it. */
static char *record(const struct csv_reader *r)
{
	return r->ptr + r->start;
}

static size_t record_len(const struct csv_reader *r)
{
	return r->end - r->start;
}

static int fail(const struct csv_reader *r, struct err *err, int code, const char *what)
{
	(void)err_set(err, code, "line %llu: %s", (unsigned long long)r->line_now, what);
	return code;
}

/* Makes room behind end: first by dropping the records already read, then by growing. */
static int make_room(struct csv_reader *r, struct err *err)
{
	size_t cap = r->cap < CSV_RECORD_MAX / 2 ? r->cap * 2 : CSV_RECORD_MAX + 1;
	char *ptr;

	if (r->start > 0) {
		memmove(r->ptr, record(r), record_len(r));
		r->end -= r->start;
		r->start = 0;
	}
	if (r->end + 1 < r->cap)
		return 0;
	if (r->cap > CSV_RECORD_MAX)
		return fail(r, err, ERR_LIMIT, "record is too long");
	ptr = realloc(r->ptr, cap);
	if (!ptr)
		return fail(r, err, ERR_NOMEM, err_name(ERR_NOMEM));
	r->ptr = ptr;
	r->cap = cap;
	return 0;
}

/* Adds bytes behind end: 0, ERR_END without a message when there are none, or an error. */
static int read_more(struct csv_reader *r, struct err *err)
{
	size_t n;

	if (r->eof)
		return ERR_END;
	TRY(make_room(r, err));
	n = fread(r->ptr + r->end, 1, r->cap - r->end - 1, r->file);
	r->end += n;
	r->ptr[r->end] = '\0';
	if (ferror(r->file))
		return fail(r, err, ERR_IO, strerror(errno));
	r->eof = n == 0;
	return n ? 0 : ERR_END;
}

/* Makes the byte at this position available: 0, ERR_END, or an error. */
static int need(struct csv_reader *r, size_t at, struct err *err)
{
	return at < record_len(r) ? 0 : read_more(r, err);
}

/* Moves *at to the next byte of that class: 0, ERR_END at the end of the input, or an error. */
static int skip_to(struct csv_reader *r, size_t *at, unsigned char stop, struct err *err)
{
	for (;;) {
		const unsigned char *p = (const unsigned char *)record(r);
		size_t i = *at;
		int rc;

		while (!(STOPS[p[i]] & stop))
			i++;
		*at = i;
		if (i < record_len(r))
			return 0;
		rc = read_more(r, err);
		if (rc)
			return rc;
	}
}

static int push_field(struct csv_reader *r, size_t from, size_t to, struct err *err)
{
	if (to - from > CSV_FIELD_MAX)
		return fail(r, err, ERR_LIMIT, "field is too long");
	if (r->spans.len == CSV_FIELDS_MAX)
		return fail(r, err, ERR_LIMIT, "too many fields");
	if (csv_spans_try_push(&r->spans, (struct csv_span){from, to - from}))
		return fail(r, err, ERR_NOMEM, err_name(ERR_NOMEM));
	return 0;
}

static int read_plain(struct csv_reader *r, size_t *at, struct err *err)
{
	size_t from = *at;
	int rc = skip_to(r, at, STOPS_PLAIN, err);

	if (rc && rc != ERR_END)
		return rc;
	return push_field(r, from, *at, err);
}

/*
 * Reads a field from its opening quote to behind its closing one. Of two quotes one is dropped by
 * moving what follows over it, so the field becomes one run of bytes in place.
 */
static int read_quoted(struct csv_reader *r, size_t *at, struct err *err)
{
	uint64_t opened = r->line_now;
	size_t from = ++*at, to = from;

	for (;;) {
		size_t run = *at;
		int rc = skip_to(r, at, STOPS_QUOTED, err);
		char c;

		if (rc == ERR_END) {
			r->line_now = opened;
			return fail(r, err, ERR_SYNTAX, "quote is never closed");
		}
		if (rc)
			return rc;
		c = record(r)[*at];
		if (c == '\0')
			return fail(r, err, ERR_SYNTAX, "NUL byte");
		r->line_now += c == '\n';
		if (to != run)
			memmove(record(r) + to, record(r) + run, *at - run);
		to += *at - run;
		++*at;
		if (c == '"') {
			rc = need(r, *at, err);
			if (rc && rc != ERR_END)
				return rc;
			if (rc == ERR_END || record(r)[*at] != '"')
				return push_field(r, from, to, err);
			++*at;
		}
		record(r)[to++] = c;
	}
}

/* Steps over a line break, if one is there: 0 and whether it was, or an error. */
static int take_newline(struct csv_reader *r, size_t *at, bool *ret_taken, struct err *err)
{
	size_t next = *at;
	int rc;

	if (record(r)[next] == '\r') {
		rc = need(r, ++next, err);
		if (rc && rc != ERR_END)
			return rc;
		if (rc == ERR_END || record(r)[next] != '\n')
			return fail(r, err, ERR_SYNTAX, "carriage return without a line feed");
	}
	*ret_taken = record(r)[next] == '\n';
	if (*ret_taken) {
		r->line_now++;
		*at = next + 1;
	}
	return 0;
}

/* What may follow a field: a comma, or the end of the record. */
static int end_field(struct csv_reader *r, size_t *at, bool quoted, bool *ret_last, struct err *err)
{
	int rc = need(r, *at, err);

	*ret_last = true;
	if (rc)
		return rc == ERR_END ? 0 : rc;
	rc = take_newline(r, at, ret_last, err);
	if (rc || *ret_last)
		return rc;
	switch (record(r)[*at]) {
	case ',':
		++*at;
		return 0;
	case '\0':
		return fail(r, err, ERR_SYNTAX, "NUL byte");
	default:
		return fail(r, err, ERR_SYNTAX,
			quoted ? "text after a closing quote" : "quote inside an unquoted field");
	}
}

static int read_record(struct csv_reader *r, struct err *err)
{
	bool last = false;
	size_t at = 0;

	r->spans.len = 0;
	while (!last) {
		int rc = need(r, at, err);
		bool quoted = rc == 0 && record(r)[at] == '"';

		if (rc && rc != ERR_END)
			return rc;
		rc = quoted ? read_quoted(r, &at, err) : read_plain(r, &at, err);
		if (rc == 0)
			rc = end_field(r, &at, quoted, &last, err);
		if (rc)
			return rc;
	}
	r->taken = at;
	return 0;
}

/* Steps over what precedes a record: 0, ERR_END when no record comes, or an error. */
static int skip_empty_lines(struct csv_reader *r, struct err *err)
{
	for (;;) {
		bool taken;
		size_t at = 0;
		int rc = need(r, 0, err);

		if (rc == 0)
			rc = take_newline(r, &at, &taken, err);
		if (rc)
			return rc;
		if (!taken)
			return 0;
		r->start += at;
	}
}

/* Turns the places of the fields into slices, now that the buffer rests until the next record. */
static int make_row(struct csv_reader *r, struct csv_row *ret_row, struct err *err)
{
	r->fields.len = 0;
	if (slice_vec_try_reserve(&r->fields, r->spans.len))
		return fail(r, err, ERR_NOMEM, err_name(ERR_NOMEM));
	for (size_t i = 0; i < r->spans.len; i++)
		r->fields.ptr[i] = (slice){record(r) + r->spans.ptr[i].at, r->spans.ptr[i].len};
	r->fields.len = r->spans.len;
	*ret_row = (struct csv_row){r->fields.ptr, r->fields.len, r->line};
	return 0;
}

static int next_row(struct csv_reader *r, struct csv_row *ret_row, struct err *err)
{
	r->start += r->taken;
	r->taken = 0;
	TRY(skip_empty_lines(r, err));
	r->line = r->line_now;
	TRY(read_record(r, err));
	return make_row(r, ret_row, err);
}

int csv_next(struct csv_reader *r, struct csv_row *ret_row, struct err *err)
{
	struct csv_row row;

	TRY(next_row(r, &row, err));
	if ((r->flags & CSV_HEADER) && row.count != r->header.len)
		return err_set(err, ERR_SYNTAX, "line %llu: %zu field%s, but the header has %zu",
			(unsigned long long)row.line, row.count, row.count == 1 ? "" : "s",
			r->header.len);
	*ret_row = row;
	return 0;
}

/* Keeps the names of the columns beyond the buffer's next move. */
static int keep_header(struct csv_reader *r, const struct csv_row *row, struct err *err)
{
	size_t len = 0;

	for (size_t i = 0; i < row->count; i++)
		len += row->fields[i].len;
	r->names = malloc(len + 1);
	if (!r->names || slice_vec_try_reserve(&r->header, row->count))
		return fail(r, err, ERR_NOMEM, err_name(ERR_NOMEM));
	len = 0;
	for (size_t i = 0; i < row->count; i++) {
		slice name = row->fields[i];

		if (csv_column(r, name) >= 0)
			return err_set(err, ERR_SYNTAX, "line %llu: column '%.*s' is given twice",
				(unsigned long long)row->line, slice_shown(name, SHOWN_MAX),
				name.ptr);
		memcpy(r->names + len, name.ptr, name.len);
		r->header.ptr[r->header.len++] = (slice){r->names + len, name.len};
		len += name.len;
	}
	return 0;
}

static int read_header(struct csv_reader *r, struct err *err)
{
	struct csv_row row;
	int rc = next_row(r, &row, err);

	if (rc == ERR_END)
		return fail(r, err, ERR_SYNTAX, "a header was expected, but the input is empty");
	return rc ? rc : keep_header(r, &row, err);
}

static int skip_byte_order_mark(struct csv_reader *r, struct err *err)
{
	for (size_t i = 0; i < 3; i++) {
		int rc = need(r, i, err);

		if (rc)
			return rc == ERR_END ? 0 : rc;
	}
	if (memcmp(record(r), "\xef\xbb\xbf", 3) == 0)
		r->start += 3;
	return 0;
}

FILE *csv_open_path(const char *path, struct err *err)
{
	FILE *file = file_stream(path, "re");
	struct stat st;

	if (!file) {
		(void)err_set(err, ERR_IO, "%s", strerror(errno));
		return NULL;
	}
	/* Opening a directory works, and only reading fails. */
	if (fstat(fileno(file), &st) == 0 && S_ISDIR(st.st_mode)) {
		(void)err_set(err, ERR_IO, "is a directory, not a CSV file");
		(void)fclose(file);
		return NULL;
	}
	return file;
}

int csv_open_file(struct csv_reader *r, FILE *file, unsigned flags, struct err *err)
{
	return csv_open_begun(r, SLICE(""), file, flags, err);
}

int csv_open_begun(struct csv_reader *r, slice begun, FILE *file, unsigned flags, struct err *err)
{
	int rc = ERR_NOMEM;

	assert(begun.len <= FIRST_CAP / 2);

	*r = (struct csv_reader){
		.file = file, .flags = flags, .line = 1, .line_now = 1, .cap = FIRST_CAP};
	r->ptr = malloc(r->cap);
	if (!r->ptr) {
		(void)fail(r, err, rc, err_name(rc));
	} else {
		memcpy(r->ptr, begun.ptr, begun.len);
		r->end = begun.len;
		r->ptr[r->end] = '\0';
		rc = skip_byte_order_mark(r, err);
	}
	if (rc == 0 && (flags & CSV_HEADER))
		rc = read_header(r, err);
	if (rc)
		csv_close(r);
	return rc;
}

void csv_close(struct csv_reader *r)
{
	csv_spans_release(&r->spans);
	slice_vec_release(&r->fields);
	slice_vec_release(&r->header);
	free(r->names);
	free(r->ptr);
	*r = (struct csv_reader){0};
}

int csv_column(const struct csv_reader *r, slice name)
{
	for (size_t i = 0; i < r->header.len; i++)
		if (slice_eq(r->header.ptr[i], name))
			return (int)i;
	return -1;
}

int csv_number(slice field, const char *what, double max, double *ret, struct err *err)
{
	int shown = slice_shown(field, SHOWN_MAX), rc;
	double value = 0;

	if (field.len == 0)
		return err_set(err, ERR_SYNTAX, "the %s is missing (0 or more is needed)", what);
	rc = parse_double(field, &value);
	if (rc == ERR_SYNTAX)
		return err_set(err, rc, "%s '%.*s' is not a number (0 or more is needed)", what,
			shown, field.ptr);
	if (rc == 0 && value < 0)
		return err_set(err, ERR_RANGE, "%s %.*s is negative (0 or more is needed)", what,
			shown, field.ptr);
	if (rc || value > max)
		return err_set(err, ERR_RANGE, "%s %.*s is too large (at most %g)", what, shown,
			field.ptr, max);
	*ret = value + 0.0; /* -0 becomes 0 */
	return 0;
}
