/*
 * The payload of a record's block (ISO 28500 §6): for HTTP messages the body, else the whole block.
 * Bytes go in as they come; out come the HTTP head, and digests of the body in both forms that
 * producers mean by WARC-Payload-Digest:
 *
 *	decoded	transfer coding removed, content coding kept; ours, and what RFC 9110 calls content
 *	as sent	every byte behind the head, chunk sizes included; warcio's
 *
 * Where the message is not chunked, or says so but is not, the two are one.
 */
#ifndef FORMATS_HTTP_PAYLOAD_H
#define FORMATS_HTTP_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "formats/http_digest.h"
#include "formats/http_fields.h"

/*
 * Removes the chunked transfer coding (RFC 9112 §7.1) as bytes arrive, without copying them:
 *
 *	struct http_chunked c = {0};
 *	while (in.len > 0 && (rc = http_chunked_next(&c, &in, &data)) == 0)
 *		use(data);
 *
 * Line ends may be LF alone; chunk extensions and trailers are passed over.
 */

enum {
	HTTP_CHUNK_LINE_MAX = 16 << 10,    /* bytes of a chunk-size line */
	HTTP_CHUNK_TRAILER_MAX = 64 << 10, /* bytes of the trailer section */
};

enum http_chunked_state {
	HTTP_CHUNKED_SIZE,      /* chunk-size */
	HTTP_CHUNKED_EXTENSION, /* chunk-ext, and the end of the line */
	HTTP_CHUNKED_DATA,      /* chunk-data */
	HTTP_CHUNKED_DATA_END,  /* the CRLF behind it */
	HTTP_CHUNKED_TRAILER,   /* trailer-section, at the start of a line */
	HTTP_CHUNKED_FIELD,     /* inside a line of it */
	HTTP_CHUNKED_END,       /* whatever follows is not part of the body */
	HTTP_CHUNKED_BAD,
};

/* Zero-initialise. */
struct http_chunked {
	enum http_chunked_state state;
	uint64_t left;     /* of the chunk */
	size_t line;       /* bytes of the line, or of the trailer section, so far */
	unsigned digits;   /* of the size so far */
	uint64_t consumed; /* bytes of the coded body so far, those behind its end not counted */
};

/*
 * Takes bytes off the front of *in, at least one of them, up to the end of a run of data:
 * *ret_data, a part of *in, perhaps empty. 0, or ERR_SYNTAX or ERR_LIMIT, after which there is no
 * going on. Bytes behind the end are taken and dropped.
 */
int http_chunked_next(struct http_chunked *c, slice *in, slice *ret_data) SP_MUST_CHECK;

/* The last chunk and the trailer section were there. */
static inline bool http_chunked_complete(const struct http_chunked *c)
{
	return c->state == HTTP_CHUNKED_END;
}

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
 * (formats/http_decode.h), and the state of a page hears both.
 */

struct payload;

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

enum payload_form {
	PAYLOAD_WHOLE, /* the block is the payload */
	PAYLOAD_HTTP,  /* a request or response: head, empty line, body */
};

enum payload_state {
	PAYLOAD_HEAD,
	PAYLOAD_BODY,
	PAYLOAD_NO_HTTP, /* the head is too long, or the block ended in it */
};

struct payload_digests {
	struct digest decoded;
	struct digest as_sent;
};

/* Fields may be read, not written. Zero-initialise; payload_start may be called again and again. */
struct payload {
	enum payload_form form;
	enum payload_state state;
	bool wants_digest;
	bool chunked;     /* Transfer-Encoding says so */
	bool other_coded; /* it names another coding, which is not removed */
	bool bad_chunks;  /* but the body does not hold on to it */
	struct buf head;  /* of HTTP */
	size_t head_seen; /* bytes of it that have been looked through */
	struct fields fields;
	bool fields_lost;    /* there are more than FIELDS_COUNT_MAX: none is known */
	unsigned status;     /* of a response, or 0 */
	slice content_type;  /* HTTP's; ptr is NULL when there is none */
	uint64_t body;       /* bytes as sent so far */
	uint64_t body_clean; /* bytes decoded so far */
	struct http_chunked chunks;
	struct digester as_sent;
	struct digester decoded;
};

/* Begins a block: 0, ERR_NOMEM, ERR_UNSUPPORTED. The second computes no digests. */
int payload_start(struct payload *p, enum payload_form form, enum digest_kind kind) SP_MUST_CHECK;
void payload_start_unchecked(struct payload *p, enum payload_form form);

/* 0 or ERR_NOMEM; what the bytes are is never an error. */
int payload_feed(struct payload *p, slice bytes) SP_MUST_CHECK;

/* Ends a block begun with payload_start: 0 or ERR_NOMEM. */
int payload_finish(struct payload *p, struct payload_digests *ret) SP_MUST_CHECK;

void payload_release(struct payload *p);

/* Whether a block of this media type is an HTTP message: "application/http; msgtype=…". */
bool payload_is_http(slice content_type);

#endif
