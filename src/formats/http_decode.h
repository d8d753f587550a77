/*
 * Content-Encoding undone (RFC 9110, section 8.4): gzip (RFC 1952), deflate (RFC 1950, and the bare
 * RFC 1951 that many servers send), br (RFC 7932), zstd (RFC 8878), in any chain of up to
 * DECODE_STAGES_MAX. Streaming, in bounded memory, safe against bombs.
 *
 *	rc = decode_open(&d, SLICE("gzip"), err);
 *	while (rc == 0 && there is more)
 *		rc = decode_feed(&d, chunk, &out, err);
 *	if (rc == 0)
 *		rc = decode_finish(&d, err);
 *	decode_close(&d);
 *
 * What could be decoded before an error stays in out: a truncated page is still a page to read.
 */
#ifndef FORMATS_HTTP_DECODE_H
#define FORMATS_HTTP_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "formats/http_digest.h"
#include "formats/http_fields.h"

enum {
	DECODE_STAGES_MAX = 4,           /* encodings of one body */
	DECODE_RATIO_MAX = 250,          /* bytes out for a byte in, on the whole, … */
	DECODE_RATIO_FREE = 8 << 20,     /* … of which so many come first without being asked */
	DECODE_ZSTD_WINDOW_LOG_MAX = 23, /* 8 MiB: what RFC 9659 allows for on the web */
	DECODE_STEP = 16 << 10,          /* bytes passed from stage to stage */
};

enum decode_kind { DECODE_GZIP, DECODE_DEFLATE, DECODE_BROTLI, DECODE_ZSTD };

struct decode_stage;

/* Fields are the decoder's own. */
struct decode {
	struct decode_stage *stages[DECODE_STAGES_MAX]; /* in the order of decoding */
	size_t count;
	uint64_t in;                     /* bytes given */
	uint64_t out[DECODE_STAGES_MAX]; /* bytes that each stage has made of them */
	bool unknown; /* a coding that is not known was passed over; may be read */
};

/* What the first bytes of a body say about its outermost coding. */
enum decode_start {
	DECODE_START_OTHER,    /* they are not of that coding: the body is not coded */
	DECODE_START_POSSIBLE, /* deflate and br have no signature; or there are too few bytes */
	DECODE_START_SIGNED,   /* the signature of gzip or zstd */
};

/*
 * Starts with a Content-Encoding header's value; an empty one and "identity" decode nothing. A
 * coding that is not known is passed over, as browsers do: "utf-8", "none" and "aws-chunked" are
 * labels of bodies that are not coded. 0, or ERR_LIMIT for too many, ERR_NOMEM, with err set; then
 * there is nothing to close.
 */
int decode_open(struct decode *d, slice content_encoding, struct err *err) SP_MUST_CHECK;

/* Looks at the first bytes of a body before they are given. There must be a coding. */
enum decode_start decode_start(const struct decode *d, slice first);

/* Safe on a zeroed struct. */
void decode_close(struct decode *d);

/*
 * Appends to out what the chunk decodes to. 0, ERR_SYNTAX, ERR_LIMIT (ratio, or the maximum of
 * out), ERR_NOMEM, with err set; after an error there is no going on.
 */
int decode_feed(struct decode *d, slice chunk, struct buf *out, struct err *err) SP_MUST_CHECK;

/* All has been given: 0, or ERR_SYNTAX when the body is truncated. */
int decode_finish(const struct decode *d, struct err *err) SP_MUST_CHECK;

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
