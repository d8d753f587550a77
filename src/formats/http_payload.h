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

#include "base/api.h"
#include "base/buf.h"
#include "formats/http_chunked.h"
#include "formats/http_digest.h"
#include "formats/http_fields.h"

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
