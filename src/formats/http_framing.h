/*
 * Where the body of an HTTP response ends (RFC 9112 §6.3), for a response to GET: the transfer
 * coding is removed as the bytes pass by, and in the end it is known whether the body is whole.
 * Doubt is always decided against it: a body of which this cannot be said is never part of a claim.
 *
 *	chunked		whole with the last chunk and the trailer section, and nothing behind them
 *	length		whole with as many bytes as Content-Length says
 *	close		neither is given: the end of the connection is the end of the body
 *	broken		Content-Length is no number or two, or there are more fields than are read:
 *			never whole
 *
 * Responses with the status 1xx, 204 and 304 have no body: they are whole without a byte.
 *
 * That is what the framing says; a content coding that has not come to its end says otherwise
 * (formats/http_coding.h), and the state of a page hears both.
 */
#ifndef FORMATS_HTTP_FRAMING_H
#define FORMATS_HTTP_FRAMING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "formats/http_chunked.h"
#include "formats/http_payload.h"

enum framing_kind {
	FRAMING_CHUNKED,
	FRAMING_LENGTH,
	FRAMING_CLOSE,
	FRAMING_BROKEN,
};

/* Fields may be read, not written. */
struct framing {
	enum framing_kind kind;
	bool bodiless;    /* the status says that there is nothing */
	bool opaque;      /* a transfer coding besides chunked, which is not removed */
	bool bad;         /* says that it is chunked, but is not */
	uint64_t length;  /* that Content-Length says */
	uint64_t wire;    /* bytes taken */
	uint64_t payload; /* bytes handed out */
	struct http_chunked chunks;
};

/* Begins with a head that has been taken apart. Cannot fail. */
void framing_start(struct framing *f, const struct payload *head);

/*
 * Takes bytes off the front of *wire, at least one of them, and hands out what of them is the body:
 * a part of *wire, perhaps empty. Cannot fail.
 */
slice framing_next(struct framing *f, slice *wire);

/*
 * Of a body that says it is chunked and is not, as other tools' archives have it: its bytes are
 * handed out as they are. It is never whole.
 */
void framing_ignore_chunks(struct framing *f);

/*
 * Whether a head says "Transfer-Encoding: identity", which is none, and how long the body is: then
 * it ends there, as for browsers, and not with the connection.
 */
bool framing_identity_end(slice head, uint64_t *ret_end);

/* Whether a body that ends here is whole. */
bool framing_is_whole(const struct framing *f);

/* Whether the framing shows where a body ends, so that the end of a connection proves nothing. */
bool framing_shows_end(const struct framing *f);

#endif
