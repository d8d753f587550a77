/*
 * A streaming JSON writer (RFC 8259) onto a FILE or a buf, compact unless asked otherwise:
 *
 *	struct json j;
 *	json_init_file(&j, stdout, JSON_LINES);
 *	json_object_begin(&j);
 *	json_key(&j, "pages");
 *	json_uint(&j, n);
 *	json_object_end(&j);
 *	rc = json_finish(&j);
 *
 * Nothing has to be checked on the way: the first failure (disk full, buffer's maximum) is kept,
 * what follows is dropped and json_finish returns it. A call that cannot stand where it is (a value
 * without a key, an end without its begin) is our own bug and asserted. Owns no memory.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

enum {
	JSON_DEPTH_MAX = 64,    /* nested objects and arrays */
	JSON_STAGE_SIZE = 4096, /* bytes gathered before they go to the FILE or buf */
};

/*
 * Version of the documents that commands print. It rises when a member goes or changes its meaning,
 * not when one is added.
 */
enum { JSON_SCHEMA = 1 };

enum json_flags {
	JSON_LINES = 1,  /* a newline after each top-level value, of which there may be many */
	JSON_PRETTY = 2, /* indented by two blanks, for people */
	JSON_SCRIPT = 4, /* no '<': nothing in a string can end the <script> that it stands in */
};

/* Fields are the writer's own. */
struct json {
	FILE *file;      /* borrowed; or */
	struct buf *buf; /* borrowed */
	unsigned flags;
	int rc;
	unsigned depth;
	uint64_t objects; /* bit d: what is open at depth d is an object */
	bool first;       /* nothing stands yet in what is open */
	bool keyed;       /* a key waits for its value */
	size_t used;
	char stage[JSON_STAGE_SIZE];
};

/* The FILE or buf is borrowed until json_finish. Cannot fail. */
void json_init_file(struct json *j, FILE *file, unsigned flags);
void json_init_buf(struct json *j, struct buf *buf, unsigned flags);

/*
 * Passes on what is staged and flushes the FILE; all that was begun must have ended. 0, or the
 * first of ERR_IO, ERR_LIMIT, ERR_NOMEM that happened. The writer may be used again after it.
 */
int json_finish(struct json *j) SP_MUST_CHECK;

/* The object of a whole document that a command prints: its first member is the schema. */
void json_document_begin(struct json *j);
void json_object_begin(struct json *j);
void json_object_end(struct json *j);
void json_array_begin(struct json *j);
void json_array_end(struct json *j);
void json_key(struct json *j, const char *key);
void json_key_slice(struct json *j, slice key);

/* Any bytes will do: what is not UTF-8 becomes U+FFFD, as browsers do it. */
void json_slice(struct json *j, slice value);

/* The same for a C string; NULL becomes null. */
void json_string(struct json *j, const char *value);

/* A key with its value. */
void json_put_string(struct json *j, const char *key, const char *value);
void json_put_uint(struct json *j, const char *key, uint64_t value);
void json_put_uint_if(struct json *j, const char *key, bool known, uint64_t value); /* or null */
void json_put_double(struct json *j, const char *key, double value);
void json_put_bool(struct json *j, const char *key, bool value);

/* A key with its string; null where ptr is NULL. */
void json_text(struct json *j, const char *key, slice value);

void json_int(struct json *j, int64_t value);
void json_uint(struct json *j, uint64_t value);

/* Fewest digits that read back the same; NaN and the infinities become null. */
void json_double(struct json *j, double value);

void json_bool(struct json *j, bool value);
void json_null(struct json *j);

#endif
