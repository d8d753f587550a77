/*
 * A memento's response, as archived: its head, and its body piece by piece with the transfer coding
 * undone and the content coding kept. Revisit records are resolved: their body is that of the
 * record they refer to, in whatever file of the collection.
 *
 *	rc = record_open(c, memento, &r, err);
 *	head = record_head(r);
 *	while (rc == 0 && (rc = record_read(r, &piece, err)) == 0)
 *		use(piece);
 *	record_close(r);
 */
#ifndef REPLAY_RECORD_H
#define REPLAY_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "formats/http_fields.h"
#include "replay/collection.h"
#include "replay/memento.h"

struct record_head {
	unsigned status;             /* 200 for what is no HTTP response */
	const struct fields *fields; /* of the response; empty for what is none */
	slice content_type;          /* as sent; ptr NULL when there is none */
	int64_t date;                /* WARC-Date */
	bool is_http;
	bool is_truncated;    /* WARC-Truncated says so */
	bool is_not_modified; /* a revisit by the server's word (304), not by equal bytes */
	bool has_size;        /* the body has this many bytes: */
	uint64_t size;
};

struct record; /* opaque */

/*
 * 0, ERR_NOTFOUND when the file or the record that a revisit refers to is not there, ERR_SYNTAX
 * when the record is damaged or not what the index says, ERR_IO, ERR_NOMEM.
 */
int record_open(struct collection *c, const struct memento *m, struct record **ret,
	struct err *err) SP_MUST_CHECK;

/* The same for the head alone: of a revisit its own, without looking for the body. */
int record_open_head(struct collection *c, const struct memento *m, struct record **ret,
	struct err *err) SP_MUST_CHECK;
void record_close(struct record *r); /* NULL is fine */

const struct record_head *record_head(const struct record *r);

/* The next bytes of the body, valid until the next call: 0, ERR_END, ERR_SYNTAX, ERR_IO. */
int record_read(struct record *r, slice *ret, struct err *err) SP_MUST_CHECK;

#endif
