/*
 * The body of a response on its way to the client: an archived record, its content coding undone
 * where asked for, cut to a range where asked for. Small bodies are sent from memory, larger ones
 * piece by piece as the client takes them.
 */
#ifndef REPLAY_BODY_H
#define REPLAY_BODY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "net/httpd.h"
#include "replay/record.h"

enum { BODY_MEMORY_MAX = 256 << 10 }; /* bytes of a body that is sent from memory */

struct body; /* opaque */
struct page;

/* Takes over the record, also on failure. 0 or ERR_NOMEM, … */
int body_new(struct record *record, struct body **ret, struct err *err) SP_MUST_CHECK;

/* The content codings that it has, whatever more the head says: "gzip,br"; the last is outermost.
 */
slice body_codings(const struct body *b);

/* Undoes them. To be called before the first piece is taken. 0, ERR_LIMIT, ERR_NOMEM. */
int body_decode(struct body *b, struct err *err) SP_MUST_CHECK;

/* Both at once. */
int body_new_decoded(struct record *record, struct body **ret, struct err *err) SP_MUST_CHECK;
void body_free(struct body *b); /* NULL is fine */

/* The next piece, valid until the next call: 0, ERR_END, ERR_SYNTAX, ERR_IO, ERR_NOMEM. */
int body_next(struct body *b, slice *ret, struct err *err) SP_MUST_CHECK;

/* What is sent begins there. */
void body_begin_at(struct body *b, uint64_t first);

/*
 * Gives at most max bytes of it to the reader of documents and finishes that: of a damaged body,
 * what can be read. 0, ERR_NOMEM, …
 */
int body_read_page(struct body *b, uint64_t max, struct page *page, struct err *err) SP_MUST_CHECK;

/*
 * Makes it the body of a response, from where it stands on, at most limit bytes, and takes it over.
 * size: how many that will be, if has_size. A body that is damaged before the first BODY_MEMORY_MAX
 * bytes is an error; later the connection breaks off. 0, ERR_SYNTAX, ERR_IO, ERR_NOMEM.
 */
int body_send(struct body *b, bool has_size, uint64_t size, struct httpd_response *r,
	struct err *err) SP_MUST_CHECK;

#endif
