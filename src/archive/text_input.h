/*
 * Text of a file that others made, plain or gzip (one member or many, as in ZipNum's blocks), line
 * by line or byte by byte, through a window of bounded size.
 */
#ifndef ARCHIVE_TEXT_INPUT_H
#define ARCHIVE_TEXT_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

enum {
	TEXT_INPUT_WINDOW = 1 << 20,    /* bytes held; a longer line is passed over */
	TEXT_INPUT_END = -1,            /* of text_input_get and text_input_look */
	TEXT_INPUT_PEEK_MAX = 64 << 10, /* bytes that can be looked at ahead */
};

struct gzFile_s; /* zlib's */

/* Fields are the reader's own. */
struct text_input {
	struct gzFile_s *file;
	char *ptr;
	size_t start, end; /* bytes read in and not yet taken */
	uint64_t lines;    /* taken so far by text_input_line */
	bool eof;
	int rc; /* the first failure */
};

/* "-" is standard input. 0, ERR_IO (err has no file name). */
int text_input_open(struct text_input *in, const char *path, struct err *err) SP_MUST_CHECK;

/* The same for a descriptor, which it takes. */
void text_input_open_fd(struct text_input *in, int fd);

/* Safe on a zeroed struct. */
void text_input_close(struct text_input *in);

/* The first bytes not taken, up to want (at most TEXT_INPUT_PEEK_MAX); fewer at the end. */
slice text_input_peek(struct text_input *in, size_t want);

/*
 * The next line without its end (LF or CRLF), valid until the next call. ptr is NULL for a line
 * that is too long. 0, ERR_END, or as text_input_check.
 */
int text_input_line(struct text_input *in, slice *ret, struct err *err) SP_MUST_CHECK;

/* More bytes, if there are. Used by the two below. */
bool text_input_fill(struct text_input *in);

/* The next byte, or TEXT_INPUT_END; the first one takes it. */
static inline int text_input_look(struct text_input *in)
{
	if (in->start == in->end && !text_input_fill(in))
		return TEXT_INPUT_END;
	return (unsigned char)in->ptr[in->start];
}

static inline int text_input_get(struct text_input *in)
{
	int c = text_input_look(in);

	if (c != TEXT_INPUT_END)
		in->start++;
	return c;
}

/* Whether the end was really one: 0, ERR_IO, ERR_SYNTAX (damaged gzip). */
int text_input_check(const struct text_input *in, struct err *err) SP_MUST_CHECK;

/* The user's file of rules against noise (formats/ignore.h). */

/*
 * Appends its content, which may have IGNORE_FILE_MAX bytes: the buffer must be able to have one
 * more. "-" is standard input. 0; ERR_USAGE with "PATH: …" when it cannot be read, or as
 * ignore_parse.
 */
int ignore_file_read(const char *path, struct buf *out, struct err *err) SP_MUST_CHECK;

/* Text files with one item in each line: lists of URLs, files with passwords. */

enum lines_form {
	/* Blanks around an item are cut off, and so is a comment: '#' at the start of a line or
	 * after a blank. "-" is standard input. */
	LINES_LIST,
	LINES_WHOLE, /* everything but the line's end is the item */
};

/* An item, valid during the call. 0, or an error with its sentence. */
typedef int lines_item(void *context, const char *item, struct err *err);

/*
 * Hands out the items that are not empty. 0; ERR_USAGE when the file cannot be read; or what add
 * returned, with "FILE:LINE: " before its sentence. *ret_count (not NULL) is the number of items.
 */
int lines_read(const char *path, enum lines_form form, lines_item *add, void *context,
	size_t *ret_count, struct err *err) SP_MUST_CHECK;

#endif
