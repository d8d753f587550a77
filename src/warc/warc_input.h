/* The bytes of a WARC file, decompressed. */
#ifndef WARC_WARC_INPUT_H
#define WARC_WARC_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <zstd.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

/* ---- dictionaries ---- */

/*
 * The dictionary that a zstd-compressed WARC file may begin with (IIPC, "Zstandard compression for
 * WARC files 1.0"): bytes for the decoder, themselves a zstd frame or not.
 */

enum { WARC_DICTIONARY_MAX = 8 << 20 }; /* bytes, uncompressed */

/* ---- input ---- */

/*
 * What a WARC file holds, uncompressed, through a small window. A file is a row of units:
 *
 *	plain	one unit, the whole file
 *	gzip	one unit for each member (RFC 1952); usually that is a record
 *	zstd	one unit for each frame (RFC 8878). A dictionary for all of them may come first, in
 * a skippable frame of type 0x184D2A5D, itself compressed or not (IIPC, "Zstandard compression for
 * WARC files 1.0")
 *
 * A unit that is damaged is an error value; warc_input_resync then finds the next that can be read.
 * Memory: two windows of WARC_WINDOW_SIZE and what zlib or zstd need, however large the file.
 */

enum {
	WARC_WINDOW_SIZE = 64 << 10,
	WARC_PEEK_MAX = 4 << 10,       /* bytes that can be looked at ahead */
	WARC_ZSTD_WINDOW_LOG_MAX = 27, /* 128 MiB: zstd's own default, --ultra -22 included */
};

enum warc_coding {
	WARC_CODING_PLAIN,
	WARC_CODING_GZIP,
	WARC_CODING_ZSTD,
};

/* Where the bytes come from; the caller closes the file. */
struct warc_source {
	int fd;          /* a file that can be sought in, or -1 for memory */
	slice memory;    /* borrowed */
	uint64_t start;  /* of the WARC in that file, where it is a part of it (WACZ) */
	uint64_t length; /* of that part; 0: up to the end of the file */
};

/* Where something is: in which unit, and how far into what it holds. */
struct warc_spot {
	uint64_t offset; /* of the unit in the file */
	uint64_t inner;  /* 0 for all records but those that share a member or frame */
};

struct warc_input; /* opaque */

/*
 * Borrows the source until closed. 0, ERR_IO, ERR_UNSUPPORTED (a pipe), or ERR_SYNTAX,
 * ERR_LIMIT for a dictionary that cannot be read. The input stands before the first unit.
 */
int warc_input_open(
	const struct warc_source *source, struct warc_input **ret, struct err *err) SP_MUST_CHECK;
void warc_input_close(struct warc_input *in);

enum warc_coding warc_input_coding(const struct warc_input *in);

/* Where the next byte is; between units that is where the next one begins. */
struct warc_spot warc_input_spot(const struct warc_input *in);

/* Of the file. */
uint64_t warc_input_size(const struct warc_input *in);

/* Uncompressed bytes taken since the input was opened, or went to another unit by seek. */
uint64_t warc_input_position(const struct warc_input *in);

/*
 * Begins the unit that follows: 0, ERR_END at the end of the file, ERR_SYNTAX when no unit begins
 * here, ERR_IO. Only after open, seek, or the end of a unit.
 */
int warc_input_next(struct warc_input *in, struct err *err) SP_MUST_CHECK;

/*
 * Bytes of the unit, at least want of them (up to WARC_PEEK_MAX) unless it ends before; valid until
 * the next call. 0, ERR_END when the unit has no more, ERR_SYNTAX when it is damaged (after all
 * that could be read), ERR_IO. warc_input_take steps over bytes that have been seen.
 */
int warc_input_peek(struct warc_input *in, size_t want, slice *ret, struct err *err) SP_MUST_CHECK;
void warc_input_take(struct warc_input *in, size_t count);

/* Goes to a spot: 0, ERR_RANGE behind the end, or as warc_input_next and _peek. */
int warc_input_seek(struct warc_input *in, struct warc_spot spot, struct err *err) SP_MUST_CHECK;

/*
 * Goes on to the first unit at or behind offset that begins with a record (plain files: to the
 * first line that does) and begins it: 0, ERR_END when there is none, ERR_IO.
 */
int warc_input_resync(struct warc_input *in, uint64_t offset, struct err *err) SP_MUST_CHECK;

/*
 * Leaves the unit that peek found to be damaged and begins the next that can be read; as
 * warc_input_resync.
 */
int warc_input_skip(struct warc_input *in, struct err *err) SP_MUST_CHECK;

#endif
