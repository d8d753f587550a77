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

#endif
