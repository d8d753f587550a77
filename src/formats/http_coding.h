/*
 * The body of a response with its content coding undone and its digest taken. A body whose coding
 * is unknown, broken or beyond the limits of formats/http_decode.h counts as it was sent; since
 * that may show only at its end, both digests run along. Readers get more than the digest: codings
 * that are not known are passed over, and a body that does not begin like its coding is read as it
 * was sent.
 *
 * Invariant: what comes out depends on the body alone, not on the pieces it came in. The limits of
 * the decoder count what it has been given so far, so it is given blocks of a fixed size.
 */
#ifndef FORMATS_HTTP_CODING_H
#define FORMATS_HTTP_CODING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "formats/http_decode.h"
#include "formats/http_digest.h"
#include "formats/http_fields.h"

enum {
	CODING_BLOCK = 4 << 10,    /* bytes given to the decoder at a time */
	CODING_OUT_MAX = 16 << 20, /* bytes that it may make of them */
	CODING_OUT_KEEP = 1 << 20, /* bytes of memory kept from one body to the next */
	CODING_NAME_MAX = 1024,    /* bytes of the codings' names */
};

/* Takes the decoded body, piece by piece; what it returns but 0 ends the reading. */
typedef int coding_sink(void *context, slice decoded);

enum coding_state {
	CODING_PLAIN,   /* nothing to undo */
	CODING_DECODES, /* so far */
	CODING_OPAQUE,  /* cannot be undone */
};

/* What the content coding says about the end of the body. */
enum coding_end {
	CODING_ENDED,  /* it has come to its end, or there is none */
	CODING_CUT,    /* it has not: the body was cut off or is damaged */
	CODING_UNSEEN, /* it cannot tell: beyond the limits, not what the label says, no bytes */
};

/* Fields may be read, not written. Zero-initialise; may be used again and again. */
struct coding {
	coding_sink *sink; /* may be NULL; set by who owns it, as is its context */
	void *context;
	enum coding_state state;
	enum coding_end end; /* so far */
	bool as_sent;        /* the digest is that of the bytes as sent, with the names */
	struct buf names;    /* in lower case, without "identity", separated by commas */
	struct decode decode;
	struct buf out;
	char block[CODING_BLOCK];
	size_t block_len;
	uint64_t sent;         /* bytes */
	struct digester plain; /* of the body as sent, content coding kept */
	struct digester clean; /* of the body decoded, where it is another one */
};

struct coding_result {
	bool decoded;  /* there was nothing to undo, or it was undone */
	bool readable; /* the sink was given all of the body */
	enum coding_end end;
	struct digest payload; /* SHA-256 of the body, content coding kept */
	struct digest body;    /* SHA-256 of the decoded body; as payload when it is not decoded */
	uint64_t payload_size;
};

/*
 * Appends the codings that a field names, in the order in which they were applied; fields of one
 * name are one list (RFC 9110 §5.3). 0, ERR_NOMEM, ERR_LIMIT.
 */
int coding_names(const struct fields *head, slice field, struct buf *names) SP_MUST_CHECK;

/*
 * Begins with the fields of a response's head; opaque: there is a transfer coding that was not
 * removed, so nothing behind it can be undone either. 0, ERR_NOMEM, ERR_UNSUPPORTED.
 */
int coding_start(struct coding *c, const struct fields *head, bool opaque) SP_MUST_CHECK;

/* 0, ERR_NOMEM, or what the sink returned. */
int coding_feed(struct coding *c, slice body) SP_MUST_CHECK;
int coding_finish(struct coding *c, struct coding_result *ret) SP_MUST_CHECK;

void coding_release(struct coding *c);

#endif
