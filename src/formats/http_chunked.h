/*
 * Removes the chunked transfer coding (RFC 9112 §7.1) as bytes arrive, without copying them:
 *
 *	struct http_chunked c = {0};
 *	while (in.len > 0 && (rc = http_chunked_next(&c, &in, &data)) == 0)
 *		use(data);
 *
 * Line ends may be LF alone; chunk extensions and trailers are passed over.
 */
#ifndef FORMATS_HTTP_CHUNKED_H
#define FORMATS_HTTP_CHUNKED_H

#include <stdint.h>

#include "base/api.h"
#include "base/slice.h"

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

#endif
