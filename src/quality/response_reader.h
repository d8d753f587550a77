/*
 * Reads HTTP responses as WARC records hold them, for their state, their links and what stands in
 * the page's place, in one pass. One may be used again and again.
 */
#ifndef QUALITY_RESPONSE_READER_H
#define QUALITY_RESPONSE_READER_H

#include "extract/page.h"
#include "http/message.h"
#include "proof/rulebook.h"

/* Fields are its own, but for the first ones, which callers may set before each start. */
struct response_reader {
	const struct rulebook *book; /* borrowed: the user's rules */
	slice url;                   /* of the page, which some of them need; borrowed */

	struct links *links; /* borrowed: filled with the links of the body; NULL: not wanted */
	bool framed;         /* the protocol (HTTP/2) shows where a body ends */
	struct message *message;
	struct page *page;
	struct required required;
	bool begun;      /* the body has */
	bool parsing;    /* it passes through the page */
	uint64_t manner; /* how it is read (manner.h), once its head is known */
	bool signing;    /* its signs are read */
	struct stand_in stand_in;
	bool has_signs; /* of the response that was finished last */
	struct blocked_body signs;
	slice missing;
};

/* The struct must not be moved afterwards. 0 or ERR_NOMEM; release in any case. */
int response_reader_init(struct response_reader *r) SP_MUST_CHECK;
void response_reader_release(struct response_reader *r);

/* As message_start, message_feed and message_finish. */
void response_reader_start(struct response_reader *r);
int response_reader_feed(struct response_reader *r, slice block) SP_MUST_CHECK;
int response_reader_finish(struct response_reader *r, struct state_result *ret_state) SP_MUST_CHECK;

/*
 * What the body of the response that was finished last shows of being the page or not; false when
 * it is not HTML, or not whole.
 */
bool response_reader_signs(const struct response_reader *r, struct blocked_body *ret);

/* Name of the user's rule whose required element it has not, that of the book; or empty. */
static inline slice response_reader_missing(const struct response_reader *r)
{
	return r->missing;
}

/* How the body of the response that was read last is read (manner.h). */
static inline uint64_t response_reader_manner(const struct response_reader *r)
{
	return r->manner;
}

/* The head of the response that was read last; valid until the next one. */
const struct fields *response_reader_head(const struct response_reader *r);

/*
 * As message_combine, in place of finishing: the head that was read, with the body of another
 * record. The result may be in the place of what it is made of.
 */
int response_reader_combine(struct response_reader *r, const struct state_result *of,
	struct state_result *ret) SP_MUST_CHECK;

#endif
