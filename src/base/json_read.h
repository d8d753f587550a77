/*
 * Reads one flat JSON object (RFC 8259) at a time, such as a line of JSON lines: its members one by
 * one, with strings as text. Values that are objects or arrays are an error.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

enum json_value_kind { JSON_READ_STRING, JSON_READ_NUMBER, JSON_READ_WORD };

/* A member; key and text live in the reader until its next call. */
struct json_member {
	slice key;
	enum json_value_kind kind;
	slice text; /* escapes undone; of numbers and words as written */
};

/* Fields are the reader's own. */
struct json_reader {
	slice rest; /* borrowed */
	size_t size;
	bool begun;
	struct buf key;
	struct buf text;
};

/* Starts on a text with one object, borrowed; strings may be up to max bytes long. */
void json_reader_init(struct json_reader *r, slice text, size_t max);
void json_reader_release(struct json_reader *r);

/*
 * The next member: 0; ERR_END after the last one and nothing behind the object; ERR_SYNTAX,
 * ERR_LIMIT or ERR_NOMEM.
 */
int json_reader_next(struct json_reader *r, struct json_member *ret_member) SP_MUST_CHECK;

/* Appends what stands between the quotes of a string, its escapes undone. As json_reader_next. */
int json_unescape(slice raw, struct buf *out) SP_MUST_CHECK;

/* The column, from 1, up to which the text was read: for messages. */
size_t json_reader_column(const struct json_reader *r);

/*
 * Reads JSON text (RFC 8259) value by value, for readers that know which shape they expect. Objects
 * of strings and numbers alone are easier with base/json_read.h.
 *
 * All int functions return 0, ERR_SYNTAX, ERR_RANGE for a number that no double holds, or ERR_LIMIT
 * for what is nested too deeply; err then says what was expected at which byte.
 */

struct json_cursor {
	slice text; /* borrowed */
	size_t at;
	unsigned depth; /* of what is skipped */
	struct err *err;
};

/* Records that something else was expected here; returns ERR_SYNTAX. */
int json_cursor_fail(struct json_cursor *c, const char *expected);

/* The next byte that is no blank, or -1 at the end. */
int json_cursor_peek(struct json_cursor *c);

/* Takes this byte if it comes next; blanks before it are skipped. */
bool json_cursor_take(struct json_cursor *c, char byte);

/* Takes this word if it comes next: true, false or null. */
bool json_cursor_word(struct json_cursor *c, slice word);

/* What stands between the quotes, escapes as they are; lies in the text. */
int json_cursor_string(struct json_cursor *c, slice *ret) SP_MUST_CHECK;

int json_cursor_number(struct json_cursor *c, double *ret) SP_MUST_CHECK;

/* Any value. */
int json_cursor_skip(struct json_cursor *c) SP_MUST_CHECK;

/* Reads one element; what it returns but 0 ends the reading and is returned. */
typedef int json_cursor_element(void *context, struct json_cursor *c);

/* "[", elements, "]"; what is how messages call the list. */
int json_cursor_list(struct json_cursor *c, const char *what, json_cursor_element *element,
	void *context) SP_MUST_CHECK;

/* Reads the value of a member, or skips it; the key is as json_cursor_string gives it. */
typedef int json_cursor_member(void *context, struct json_cursor *c, slice key);

/* An object; the same, and nothing behind it. */
int json_cursor_members(
	struct json_cursor *c, json_cursor_member *member, void *context) SP_MUST_CHECK;
int json_cursor_object(
	struct json_cursor *c, json_cursor_member *member, void *context) SP_MUST_CHECK;

#endif
