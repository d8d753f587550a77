/*
 * Reads HTTP responses as WARC records hold them, for their state and their normalised digest, in
 * one pass. One may be used again and again.
 */
#ifndef QUALITY_NORMAL_READER_H
#define QUALITY_NORMAL_READER_H

#include "extract/page.h"
#include "http/message.h"
#include "quality/normal.h"

/* Fields are its own, but for the first ones, which callers may set before each start. */
struct normal_reader {
	const struct rulebook *book; /* borrowed: the rules */
	slice url;                   /* of the page, which some of them need; borrowed */

	struct links *links; /* borrowed: filled with the links of the body; NULL: not wanted */
	bool framed;         /* the protocol (HTTP/2) shows where a body ends */
	struct message *message;
	struct page *page;
	struct view view;
	bool begun;      /* the body has */
	bool viewing;    /* it passes through the view */
	bool parsing;    /* it passes through the page */
	uint64_t manner; /* how it is read (normal.h), once its head is known */
	bool signing;    /* its signs are read */
	struct stand_in stand_in;
	bool is_html;   /* the body that was read last */
	bool has_signs; /* of the response that was finished last */
	struct blocked_body signs;
};

/* The struct must not be moved afterwards. 0 or ERR_NOMEM; release in any case. */
int normal_reader_init(struct normal_reader *r) SP_MUST_CHECK;
void normal_reader_release(struct normal_reader *r);

/* As message_start, message_feed and message_finish. */
void normal_reader_start(struct normal_reader *r);
int normal_reader_feed(struct normal_reader *r, slice block) SP_MUST_CHECK;

/* ret->digest is the normalised digest. */
int normal_reader_finish(
	struct normal_reader *r, struct state_result *ret_state, struct normal *ret) SP_MUST_CHECK;

/*
 * What the body of the response that was finished last shows of being the page or not; false when
 * it is not HTML, or not whole.
 */
bool normal_reader_signs(const struct normal_reader *r, struct blocked_body *ret);

/* How the body of the response that was read last is read (normal.h). */
static inline uint64_t normal_reader_manner(const struct normal_reader *r)
{
	return r->manner;
}

/* The head of the response that was read last; valid until the next one. */
const struct fields *normal_reader_head(const struct normal_reader *r);

/* The record that has the body of a revisit record; both are borrowed. */
struct normal_original {
	const struct state_result *state;
	const struct normal *shown;
	uint64_t manner; /* of its head */
};

/*
 * As message_combine, in place of finishing. There is no normalised digest, and nothing was read,
 * when the two heads do not say the same of how the body is to be read. The results may be in the
 * place of what they are made of.
 */
int normal_reader_combine(struct normal_reader *r, const struct normal_original *of,
	struct state_result *ret_state, struct normal *ret) SP_MUST_CHECK;

#endif
