/* Compact looks, and patches: looks that are stored as what differs. */
#ifndef WARC_COMPACT_H
#define WARC_COMPACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "warc/attempt.h"
#include "warc/warc_header.h"

/* ---- patches ---- */

/*
 * Bytes as a patch against others that are much the same: a zstd frame (RFC 8878) that refers to
 * them as a prefix, as `zstd --patch-from` does. It can be read with those very bytes only.
 */

enum { PATCH_BYTES_MAX = 8 << 20 }; /* of either side */

/* What makes patches; its memory is used again. Zero-initialise. */
struct patch_maker {
	struct ZSTD_CCtx_s *context;
};

void patch_maker_release(struct patch_maker *m);

/* Appends the patch that makes `bytes` of `from`: 0, ERR_LIMIT when one is too long. */
int patch_make(struct patch_maker *m, slice from, slice bytes, struct buf *out) SP_MUST_CHECK;

/*
 * Appends what a patch makes of `from`, which must be exactly size bytes: 0, ERR_SYNTAX when it
 * does not, ERR_LIMIT.
 */
int patch_apply(slice from, slice patch, uint64_t size, struct buf *out) SP_MUST_CHECK;

/* ---- compact looks ---- */

/*
 * Compact evidence: looks that found what the archive has already, many in one metadata record
 * (docs/archive.md has it byte by byte). A look is a row:
 *
 *	same	its body is that of another response record, byte for byte
 *	patch	its body differs from that of another response record by noise, and is kept as a
 *		patch against it
 *	tombstone	its response was retired (archive/retire.h): what is left is the attempt,
 *		with the digests of what it showed
 *
 * Of the first two nothing is missing of what records of its own would hold: compact_expand writes
 * those. So whoever reads WARC files reads compact looks by the code that reads the records:
 *
 *	struct compact_rows rows;
 *
 *	rc = compact_open(&rows, block, &err);
 *	while (rc == 0 && (rc = compact_next(&rows, &arena, &look, &err)) == 0) {
 *		body: of a patch, patch_apply on the body of look.attempt.original.record
 *		rc = compact_expand(&look, body, &out, &err);
 *	}
 *
 * Rows stand for themselves: what waits in the catalog are rows, and a block is its first line and
 * rows behind it.
 */

#define COMPACT_TARGET "urn:x-stillpoint:looks"
#define COMPACT_TYPE   "application/x-stillpoint-looks"
#define COMPACT_FIRST  "stillpoint-looks: 1\r\n"

enum {
	COMPACT_LOOKS_MAX = 256,         /* looks of a record, … */
	COMPACT_BLOCK_FULL = 2 << 20,    /* … and bytes at which it is full */
	COMPACT_ROW_MAX = 2 << 20,       /* bytes of a row */
	COMPACT_BLOCK_MAX = 8 << 20,     /* bytes that a reader takes */
	COMPACT_EXPANDED_MAX = 32 << 20, /* of the records of one look */
};

/* Strings are borrowed, or in the arena that it was read into. */
struct compact_look {
	/*
	 * With url, payload and original; record_id is derived from these. What the head says is
	 * not filled in by compact_next.
	 */
	struct attempt attempt;
	slice address; /* of the server; may be empty */
	slice request; /* heads, without secrets */
	slice head;
	bool is_tombstone; /* without request and head; the attempt says when it was retired */
	bool is_patch;     /* and then: */
	slice patch;
	uint64_t body_size;
	slice file;      /* of the original record, and where in it that begins: for a quick */
	uint64_t offset; /* way to it */
};

/*
 * Whether a look may be a row: whole, with an original of our own and all times, of which both
 * clocks tell the same.
 */
bool compact_may(const struct attempt *a);

/* Whether an attempt may be a tombstone: the same, whatever it refers to. */
bool compact_may_retire(const struct attempt *a);

/* The name of the record that compact_expand makes of a look: it follows from the attempt. */
int compact_id(const struct attempt *a, struct warc_id *ret) SP_MUST_CHECK;

/*
 * Appends a row: 0, ERR_RANGE for a look that may be none, ERR_LIMIT, or as
 * attempt_format. The state of the same body is left out: it follows from the record with the body.
 */
int compact_add(const struct compact_look *look, struct buf *out) SP_MUST_CHECK;

/* The record of a block of looks, which is borrowed; date: of the last of them. */
struct warc_entry compact_entry(slice block, int64_t date);

/* Fields are its own. */
struct compact_rows {
	slice left;
};

/* Whether a metadata record is one of looks. */
bool compact_is_type(slice content_type);

/* Borrows the block of a record. 0, ERR_UNSUPPORTED (of a later version). */
int compact_open(struct compact_rows *rows, slice block, struct err *err) SP_MUST_CHECK;

/*
 * The next look; record_id is set. Strings are in the block or the arena. 0, ERR_END, ERR_SYNTAX,
 * ERR_UNSUPPORTED (a row of a later version; the next call gives the row behind it).
 */
int compact_next(struct compact_rows *rows, struct arena *arena, struct compact_look *ret,
	struct err *err) SP_MUST_CHECK;

/*
 * Appends the records of a look as a WARC file, uncompressed: a revisit, or of a patch a response
 * with that body; the request; the metadata of the attempt, which is all there is of a tombstone.
 * 0, ERR_SYNTAX, ERR_LIMIT.
 */
int compact_expand(const struct compact_look *look, slice body, struct buf *out,
	struct err *err) SP_MUST_CHECK;

#endif
