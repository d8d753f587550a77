/*
 * Reads HTTP responses as WARC records hold them, for their state and their normalised digest, in
 * one pass. One may be used again and again.
 */
#ifndef QUALITY_NORMAL_READER_H
#define QUALITY_NORMAL_READER_H

#include "extract/page.h"
#include "http/message.h"
#include "quality/normal.h"

/* Fields are its own. */
struct normal_reader {
	struct message *message;
	struct page *page;
	struct view view;
	bool begun;   /* the body has */
	bool viewing; /* it passes through the page */
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

/* As message_combine: a response without a body of its own has no normalised digest. */
int normal_reader_combine(struct normal_reader *r, const struct state_result *of,
	struct state_result *ret) SP_MUST_CHECK;

#endif
