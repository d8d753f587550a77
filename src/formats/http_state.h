/*
 * The state of a page as one response shows it: status, Location, Refresh, Content-Disposition,
 * media type and decoded body (docs/quality.md, "What identical means"). Two observations are
 * identical when the digests of their states are. Computed as the bytes pass by, from the crawler's
 * response or from a WARC record, by the same code:
 *
 *	rc = state_start(s, head, err);			// exact bytes of the HTTP head
 *	while (rc == 0 && there is more)
 *		rc = state_feed(s, chunk);		// exact bytes of the wire
 *	if (rc == 0)
 *		rc = state_finish(s, &result);
 *
 * The digest is SHA-256 over a length-prefixed list of the parts, so that no two states share one.
 * A body whose content coding is unknown, broken or beyond the limits of formats/http_decode.h
 * counts as it was sent, marked as such: equal bytes are equal, whatever they mean.
 */
#ifndef FORMATS_HTTP_STATE_H
#define FORMATS_HTTP_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "formats/http_decode.h"
#include "formats/http_digest.h"
#include "formats/http_fields.h"

struct state_result {
	unsigned status;
	bool whole;           /* the body ended as its framing and its content coding say */
	bool fields_lost;     /* its head has more fields than are read */
	bool decoded;         /* its content coding, if any, could be undone */
	bool readable;        /* the sink was given all of the body */
	bool close_delimited; /* only the end of the connection shows where the body ends */
	enum coding_end coding_end;
	struct digest state;   /* of all of it; worth nothing when the body is not whole */
	struct digest payload; /* SHA-256 of the body, transfer coding removed, content coding kept
				*/
	struct digest body;    /* SHA-256 of the decoded body; as payload when it is not decoded */
	uint64_t payload_size;
	slice coding; /* names of the content codings; the state's, valid until its next start */
};

/* Takes the decoded body, piece by piece (for its links); what it returns but 0 ends the reading.
 */
typedef coding_sink state_sink;

/*
 * Earlier versions did not look at Refresh and Content-Disposition. What their archives claim is
 * held against the states that they computed, those of form 1. Where a head has none of the two,
 * both forms are the same.
 */
enum { STATE_FORM_1 = 1, STATE_FORM_LAST = 2 };

struct state; /* opaque; one may be used again and again */

/* NULL when there is no memory. sink may be NULL. */
struct state *state_new(state_sink *sink, void *context);
void state_free(struct state *s);

/* From the next start on; the last form is the default. */
void state_set_form(struct state *s, unsigned form);

/*
 * Appends a line "NAME: VALUE" for each field of a head that counts beside its Content-Type, those
 * of one name together: two looks show the same only if these texts are equal. As buf_add.
 */
int state_head_text(const struct fields *head, struct buf *out) SP_MUST_CHECK;

/* Whether a field of that name is in that text. */
bool state_head_counts(slice name);

/*
 * Begins with a response's head, which is copied. 0, ERR_SYNTAX when it is no HTTP response's head,
 * ERR_LIMIT, ERR_NOMEM.
 */
int state_start(struct state *s, slice head, struct err *err) SP_MUST_CHECK;

/* Fields of that head, valid until the next state_start; for Content-Type and the like. */
const struct fields *state_fields(const struct state *s);

/* Whether that head names a content coding. */
bool state_is_coded(const struct state *s);

/* 0, ERR_NOMEM, or what the sink returned. */
int state_feed(struct state *s, slice wire) SP_MUST_CHECK;
int state_finish(struct state *s, struct state_result *ret) SP_MUST_CHECK;

/*
 * In place of feeding: the response has the head that was started and the body of another response,
 * of. A WARC revisit record is that. 0, ERR_STATE when the heads name different content codings, so
 * that the same bytes mean another body; ERR_NOMEM.
 */
int state_combine(
	struct state *s, const struct state_result *of, struct state_result *ret) SP_MUST_CHECK;

#endif
