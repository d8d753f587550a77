/*
 * A streaming reader of CSV after RFC 4180: quoted fields with doubled quotes, separators and line
 * breaks in them; lines end in LF or CRLF; a UTF-8 byte order mark is skipped, and so are empty
 * lines. Refused with the line's number: a quote inside an unquoted field, anything between a
 * closing quote and the separator, a quote that is never closed, a carriage return alone, NUL
 * bytes, and with CSV_HEADER a record with more or fewer fields than the header. Memory is bounded
 * by the limits below whatever the input.
 *
 *	struct csv_reader r;
 *	struct csv_row row;
 *	rc = csv_open_file(&r, file, CSV_HEADER, err);
 *	while (rc == 0 && (rc = csv_next(&r, &row, err)) == 0)
 *		use(row.fields[0], row.line);
 *	if (rc == ERR_END)
 *		rc = 0;
 *	csv_close(&r);
 */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <stdint.h>
#include <stdio.h>

#include "base/api.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/slice.h"
#include "base/vec.h"

enum {
	CSV_FIELD_MAX = 16 << 20,  /* bytes of one field */
	CSV_RECORD_MAX = 32 << 20, /* bytes of one record as it stands in the file */
	CSV_FIELDS_MAX = 4096,     /* fields of one record */
};

enum csv_flags {
	CSV_HEADER = 1, /* the first record names the columns */
};

struct csv_span {
	size_t at; /* from the start of the record */
	size_t len;
};

VEC_DECLARE(csv_spans, struct csv_span);

/* One record; the slices are valid until the next csv_next or csv_close. */
struct csv_row {
	const slice *fields;
	size_t count;
	uint64_t line; /* where the record starts, from 1 */
};

/* Fields are the reader's own. Initialised by csv_open_file, released by csv_close. */
struct csv_reader {
	FILE *file; /* borrowed */
	unsigned flags;
	bool eof;
	uint64_t line;     /* where the record being read starts */
	uint64_t line_now; /* where the next byte stands */
	char *ptr;         /* bytes [start, end) are read in; a NUL follows them */
	size_t cap;
	size_t start; /* of the record */
	size_t end;
	size_t taken; /* bytes of the last record, dropped when the next is asked for */
	struct csv_spans spans;
	struct slice_vec fields;
	struct slice_vec header; /* slices of names */
	char *names;
};

/* Opens a file for reading. NULL, with why in err, but not which file. */
FILE *csv_open_path(const char *path, struct err *err) SP_MUST_CHECK;

/*
 * Starts to read; with CSV_HEADER the header is read at once. The file (read from its present
 * position, closed by the caller) is borrowed until csv_close. 0, or ERR_SYNTAX (also
 * for an empty input or a column named twice, where a header is due), ERR_LIMIT, ERR_IO, ERR_NOMEM
 * with "line N: …" in err; csv_close is not needed after a failure, and does no harm.
 */
int csv_open_file(struct csv_reader *r, FILE *file, unsigned flags, struct err *err) SP_MUST_CHECK;

/*
 * The same for a file whose first bytes, at most 32 KiB, are read already: they are in begun, which
 * is borrowed during the call.
 */
int csv_open_begun(struct csv_reader *r, slice begun, FILE *file, unsigned flags,
	struct err *err) SP_MUST_CHECK;

/* Frees all but the input. */
void csv_close(struct csv_reader *r);

/* The next record: 0, ERR_END, or as for csv_open_file; after an error there is no going on. */
int csv_next(struct csv_reader *r, struct csv_row *ret_row, struct err *err) SP_MUST_CHECK;

/* Number of the column with this name, or -1; only with CSV_HEADER. */
int csv_column(const struct csv_reader *r, slice name);

/*
 * Reads a field as a number from 0 to max; what names it in the message. 0, ERR_SYNTAX or
 * ERR_RANGE.
 */
int csv_number(
	slice field, const char *what, double max, double *ret, struct err *err) SP_MUST_CHECK;

/*
 * Writes a field, quoted where it must be; separators and line ends are the caller's, and so are
 * the quotes of a record of one empty field, which would else be an empty line. Errors stay in the
 * FILE: check ferror or fclose.
 */
void csv_write_field(FILE *file, slice field);

#endif
