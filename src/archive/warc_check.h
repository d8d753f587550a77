/*
 * Holds a record's block against the digests that its header states (ISO 28500 §5.8 and §5.9), as
 * the bytes pass by. Used by the reader; what can be checked is this:
 *
 *	WARC-Block-Digest	always
 *	WARC-Payload-Digest	not for a revisit, whose payload is elsewhere, nor for a segment,
 *				where it is that of all segments; else in either form of payload.h
 */
#ifndef ARCHIVE_WARC_CHECK_H
#define ARCHIVE_WARC_CHECK_H

#include "archive/warc_header.h"
#include "base/api.h"
#include "base/slice.h"
#include "http/digest.h"
#include "http/payload.h"

enum warc_verdict {
	WARC_VERDICT_NONE,    /* nothing is stated, or it cannot be checked here */
	WARC_VERDICT_OK,      /* matches; of a payload: with its transfer coding removed */
	WARC_VERDICT_AS_SENT, /* a payload that matches with its transfer coding */
	WARC_VERDICT_UNKNOWN, /* stated in a way that we cannot read, or by another algorithm */
	WARC_VERDICT_BAD,     /* does not match */
};

/* Zero-initialise; warc_check_start may be called again and again. Fields are its own. */
struct warc_check {
	struct payload payload;
	struct digester block;
	struct digest stated_block;
	struct digest stated_payload;
	bool has_block;
	bool has_payload;
	enum warc_verdict block_verdict;
	enum warc_verdict payload_verdict;
};

/*
 * Begins with a record; with_digests false only takes the HTTP head apart. The header is not kept.
 * 0 or ERR_NOMEM.
 */
int warc_check_start(
	struct warc_check *c, const struct warc_header *h, bool with_digests) SP_MUST_CHECK;

/* The block's bytes in their order, then its end, where the verdicts are made: 0 or ERR_NOMEM. */
int warc_check_feed(struct warc_check *c, slice bytes) SP_MUST_CHECK;
int warc_check_finish(struct warc_check *c) SP_MUST_CHECK;

void warc_check_release(struct warc_check *c);

#endif
