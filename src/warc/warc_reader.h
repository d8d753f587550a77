/* Records of WARC files, whoever wrote them, held against their digests. */
#ifndef WARC_WARC_READER_H
#define WARC_WARC_READER_H

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "warc/warc_header.h"
#include "warc/warc_input.h"

/* ---- digests ---- */

/*
 * Holds a record's block against the digests that its header states (ISO 28500 §5.8 and §5.9), as
 * the bytes pass by. Used by the reader; what can be checked is this:
 *
 *	WARC-Block-Digest	always
 *	WARC-Payload-Digest	not for a revisit, whose payload is elsewhere, nor for a segment,
 *				where it is that of all segments; else in either form of payload.h
 */

enum warc_verdict {
	WARC_VERDICT_NONE,    /* nothing is stated, or it cannot be checked here */
	WARC_VERDICT_OK,      /* matches; of a payload: with its transfer coding removed */
	WARC_VERDICT_AS_SENT, /* a payload that matches with its transfer coding */
	WARC_VERDICT_UNKNOWN, /* stated in a way that we cannot read, or by another algorithm */
	WARC_VERDICT_BAD,     /* does not match */
};

/* ---- records ---- */

/*
 * Reads WARC files of any producer (ISO 28500, versions 0.17 to 1.1; plain, gzip, zstd), record by
 * record, in the memory of a small window:
 *
 *	rc = warc_reader_open("a.warc.gz", 0, &r, err);
 *	while (rc == 0 && (rc = warc_reader_next(r, &record, err)) == 0) {
 *		while ((rc = warc_reader_block(r, &bytes, err)) == 0)	// if wanted
 *			use(bytes);
 *		rc = warc_reader_end(r, err);				// now the verdicts are
 * there
 *	}
 *	warc_reader_close(r);
 *
 * Damage is never an error: what can be read is read, and the rest is told. A record whose header
 * could be read is handed out, with a problem in the end if its block is short, wrong or does not
 * match its digests. Where there is no record, a *gap* is handed out that says from where to where.
 */

enum warc_reader_flags {
	WARC_READER_UNCHECKED = 1, /* compute no digests */
};

struct warc_record {
	bool is_gap; /* no record: header is empty, problem says what is there instead */
	struct warc_header header;
	struct warc_spot spot; /* where warc_reader_seek finds it */

	/* What follows is known after warc_reader_end (of a gap: at once). */
	uint64_t length;   /* bytes of the file; of what is in it uncompressed, when shared */
	bool is_shared;    /* a member or frame holds this record and others */
	uint64_t position; /* where the record is in the file uncompressed */
	enum warc_verdict block;
	enum warc_verdict payload;
	unsigned status;    /* of the HTTP response, or 0 */
	slice http_head;    /* with its empty line; empty when there is none, or no end to it */
	slice mime;         /* media type: HTTP's where there is a message, else the block's */
	struct err problem; /* code is 0 when all is well */
};

struct warc_reader; /* opaque */

/* The path is not kept. 0, ERR_IO, or as warc_input_open. */
int warc_reader_open(
	const char *path, unsigned flags, struct warc_reader **ret, struct err *err) SP_MUST_CHECK;

/* The same for a source, which stays the caller's. */
int warc_reader_open_source(const struct warc_source *source, unsigned flags,
	struct warc_reader **ret, struct err *err) SP_MUST_CHECK;

/* The same for one whose descriptor it takes, at failure too. */
int warc_reader_take_source(const struct warc_source *source, unsigned flags,
	struct warc_reader **ret, struct err *err) SP_MUST_CHECK;

void warc_reader_close(struct warc_reader *r);

enum warc_coding warc_reader_coding(const struct warc_reader *r);

/*
 * The next record or gap; ends the one before. The record is the reader's, valid until the next
 * call of this or warc_reader_seek. 0, ERR_END, ERR_IO.
 */
int warc_reader_next(
	struct warc_reader *r, const struct warc_record **ret, struct err *err) SP_MUST_CHECK;

/* The next bytes of the record's block, valid until the next call: 0, ERR_END, ERR_IO. */
int warc_reader_block(struct warc_reader *r, slice *ret, struct err *err) SP_MUST_CHECK;

/* Reads the rest of the block and completes the record: 0, ERR_IO. */
int warc_reader_end(struct warc_reader *r, struct err *err) SP_MUST_CHECK;

/* Goes to where a record begins: 0, ERR_RANGE behind the end, ERR_SYNTAX, ERR_IO. */
int warc_reader_seek(struct warc_reader *r, struct warc_spot spot, struct err *err) SP_MUST_CHECK;

#endif
