/*
 * What a look at a page showed, read from the WARC files: status, type and decoded body. A revisit
 * record has no body; it is read from the response record that it refers to.
 */
#ifndef PROOF_LOOK_H
#define PROOF_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "formats/http_digest.h"
#include "warc/attempt.h"

enum { LOOK_BODY_MAX = 64 << 20 }; /* bytes of a body that are kept */

/*
 * Finds the response record of that id: puts its file, offset and id into *ret, borrowed from the
 * context. 0, ERR_NOTFOUND, ERR_NOMEM, or as the catalog's functions.
 */
typedef int look_find(void *context, slice id, struct attempt *ret, struct err *err);

struct look_source {
	const char *warc_dir;
	look_find *find; /* proof/originals.h, if there is a catalog */
	void *context;
	struct catalog *catalog; /* knows where compact looks are; NULL: they are not found */
};

struct look {
	const struct attempt *attempt; /* borrowed */
	unsigned status;
	struct buf media_type; /* of Content-Type, as sent; empty for none */
	unsigned types;        /* number of such fields */
	struct buf location;   /* of Location */
	struct buf head;       /* all that counts of the head beside its type (state_head_text) */
	struct buf coding;     /* names of the content codings */
	struct buf original;   /* id of the record that has the body; empty: this one */
	bool whole;            /* as its framing and coding say, and not truncated */
	bool readable;         /* body is all of it, decoded */
	bool close_delimited;  /* nothing but the end of the connection shows its end */
	struct digest state;   /* formats/http_state.h */
	struct digest digest;  /* of the body, decoded if readable */
	uint64_t size;         /* of the body, in the same way */
	struct buf body;       /* at most LOOK_BODY_MAX bytes */
};

/*
 * Reads the response of an attempt, which is borrowed; without a record_id, that which stands at
 * its place. 0, ERR_NOTFOUND when there is no record,
 * ERR_SYNTAX when it is damaged, ERR_IO, ERR_NOMEM, or as the catalog's functions. To be released
 * in any case.
 */
int look_read(struct look *l, const struct look_source *from, const struct attempt *attempt,
	struct err *err) SP_MUST_CHECK;

/* The same of a compact look, whose records (warc/compact.h) are at hand. */
int look_read_records(struct look *l, const struct look_source *from, const struct attempt *attempt,
	slice records, struct err *err) SP_MUST_CHECK;

/*
 * The same of a response that is at hand: its head, and its body in memory or, if spool is not
 * negative, as the first bytes of that file. 0, ERR_SYNTAX, ERR_IO, ERR_NOMEM.
 */
struct look_message {
	slice head, body;
	int spool;
	uint64_t size;  /* of the spooled body */
	bool is_framed; /* the protocol (HTTP/2) shows where a body ends */
};
int look_take(struct look *l, const struct look_message *from, const struct attempt *attempt,
	struct err *err) SP_MUST_CHECK;

void look_release(struct look *l);

/*
 * The id of the record that has the body of an attempt whose record is a revisit record; empty when
 * it names none. 0, or as look_read.
 */
int look_refers_to(const struct look_source *from, const struct attempt *a, struct buf *ret,
	struct err *err) SP_MUST_CHECK;

/* A compact look that the catalog knows, as the records that it stands for (warc/compact.h). */

/*
 * Appends the records of an attempt that is_compact: from the WARC file, or from the catalog if it
 * still waits there. 0, ERR_NOTFOUND when it is in neither, ERR_SYNTAX when it is damaged, ERR_IO,
 * ERR_NOMEM, or as the catalog's functions.
 */
int compact_look_read(const struct look_source *from, const struct attempt *a, struct buf *records,
	struct err *err) SP_MUST_CHECK;

#endif
