/*
 * An HTTP response as a WARC record's block holds it, head and body in one: finds the end of the
 * head and hands both to formats/http_state.h.
 */
#ifndef FORMATS_HTTP_MESSAGE_H
#define FORMATS_HTTP_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/slice.h"
#include "formats/http_fields.h"
#include "formats/http_state.h"

struct message; /* opaque; one may be used again and again */

/* NULL when there is no memory. The sink, which may be NULL, takes the decoded body (state.h). */
struct message *message_new(state_sink *sink, void *context);
void message_free(struct message *m); /* NULL is fine */

/* As state_set_form. */
void message_set_form(struct message *m, unsigned form);

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

/*
 * What the head of a response says of how old its content is and where it comes from: validators
 * (RFC 9110 §8.8), Age (RFC 9111 §5.1) and the caches it came through (Via, RFC 9110 §7.6.3;
 * Cache-Status, RFC 9211; X-Cache and CF-Cache-Status, which have no specification). Nothing of it
 * is proven: it is what the server says.
 */

enum {
	SERVED_ETAG_MAX = 512,    /* bytes; longer ones are not looked at */
	SERVED_CACHES_SIZE = 200, /* of the text, with its NUL; what is longer is cut off */
};

struct served {
	int64_t modified; /* Last-Modified, ns since 1970; 0: none that can be read */
	slice etag;       /* with quotes and W/; borrowed; ptr NULL for none */
	bool has_age;
	unsigned age; /* seconds; the largest if there are several */
	/* "via: 1.1 varnish; x-cache: HIT"; printable ASCII, "" for none. */
	char caches[SERVED_CACHES_SIZE];
};

/* now, ns since 1970: for dates with a year of two digits. */
void served_read(const struct fields *head, int64_t now, struct served *ret);

#endif
