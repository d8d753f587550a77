/*
 * An HTTP response as a WARC record's block holds it, head and body in one: finds the end of the
 * head and hands both to http/state.h.
 */
#ifndef HTTP_MESSAGE_H
#define HTTP_MESSAGE_H

#include "base/api.h"
#include "base/slice.h"
#include "http/state.h"

struct message; /* opaque; one may be used again and again */

/* NULL when there is no memory. The sink, which may be NULL, takes the decoded body (state.h). */
struct message *message_new(state_sink *sink, void *context);
void message_free(struct message *m); /* NULL is fine */

void message_start(struct message *m);

/* The block, piece by piece: 0 or ERR_NOMEM; what it is shows in the end. */
int message_feed(struct message *m, slice block) SP_MUST_CHECK;

/* 0, ERR_SYNTAX when it was no HTTP response, ERR_NOMEM. */
int message_finish(struct message *m, struct state_result *ret) SP_MUST_CHECK;

/* The same for a block that is a head alone; the body is that of another one (state_combine). */
int message_combine(
	struct message *m, const struct state_result *of, struct state_result *ret) SP_MUST_CHECK;

/* Fields of the response whose head has been read. */
const struct fields *message_fields(const struct message *m);

#endif
