/*
 * Reads one flat JSON object (RFC 8259) at a time, such as a line of JSON lines: its members one by
 * one, with strings as text. Values that are objects or arrays are an error.
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "base/api.h"
#include "base/buf.h"

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

#endif
