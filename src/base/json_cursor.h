/*
 * Reads JSON text (RFC 8259) value by value, for readers that know which shape they expect. Objects
 * of strings and numbers alone are easier with base/json_read.h.
 *
 * All int functions return 0, ERR_SYNTAX, ERR_RANGE for a number that no double holds, or ERR_LIMIT
 * for what is nested too deeply; err then says what was expected at which byte.
 */
#ifndef BASE_JSON_CURSOR_H
#define BASE_JSON_CURSOR_H

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

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

/* What stands between the quotes, escapes as they are; lies in the text. */
int json_cursor_string(struct json_cursor *c, slice *ret) SP_MUST_CHECK;

int json_cursor_number(struct json_cursor *c, double *ret) SP_MUST_CHECK;

/* Any value. */
int json_cursor_skip(struct json_cursor *c) SP_MUST_CHECK;

#endif
