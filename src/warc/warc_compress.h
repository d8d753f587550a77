/* One gzip member or zstd frame for each record. */
#ifndef WARC_WARC_COMPRESS_H
#define WARC_WARC_COMPRESS_H

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "warc/warc_input.h"

/* ---- gzip ---- */

/*
 * gzip members by ISA-L: of a record that is in memory in one go, of others as the bytes come.
 *
 * Records of a few hundred bytes are mostly head: names that all records share, and identifiers and
 * digests in hexadecimal. To count the letters of each and make Huffman codes of them takes four
 * times as long as all the rest, so they all share codes that were made once, of records like them.
 */

enum {
	WARC_GZIP_LEVEL_MAX = 3,
	WARC_GZIP_ALIKE_MAX = 2048, /* bytes of records that share their codes */
};

struct warc_gzip; /* opaque */

/* level from 1 to 3. 0 or ERR_STATE. */
int warc_gzip_open(int level, struct warc_gzip **ret) SP_MUST_CHECK;
void warc_gzip_close(struct warc_gzip *g);

/* The member of a record, which is shorter than 1 GiB, in memory; out must have that room. */
size_t warc_gzip_room(size_t record);
int warc_gzip_whole(struct warc_gzip *g, slice record, char *out, size_t *ret_len) SP_MUST_CHECK;

/*
 * Unpacks a member that is all of the bytes, its checksum checked, into out, which has a maximum:
 * 0, ERR_LIMIT when it does not fit, ERR_SYNTAX when the bytes are anything else. It
 * takes half the time of zlib's.
 */
struct buf;
int warc_gzip_unpack(slice member, struct buf *out) SP_MUST_CHECK;

/*
 * The member of a longer one: begin, then feed; each piece may give any number of bytes, which
 * emit gets. The last piece, which may be empty, ends the member. What emit returns is passed on.
 */
typedef int warc_gzip_emit(void *context, slice bytes, struct err *err);

void warc_gzip_begin(struct warc_gzip *g);
int warc_gzip_feed(struct warc_gzip *g, slice bytes, bool is_last, warc_gzip_emit *emit,
	void *context, struct err *err) SP_MUST_CHECK;

/* ---- records ---- */

/*
 * Compresses records, each into a gzip member or zstd frame of its own: in one go when the record
 * is small enough to be held in memory, else as the bytes come.
 */

enum {
	WARC_COMPRESS_SMALL_MAX = 1 << 20, /* bytes of a record that is compressed in one go */
	WARC_ZSTD_LEVEL_MAX = 19,          /* those above need windows that readers may refuse */
};

struct warc_compress; /* opaque */

/* Takes compressed bytes; 0 or an error, which ends the record and is passed on. */
typedef int warc_compress_emit(void *context, slice bytes, struct err *err);

/* level 0 is the default, which is 3 for both. 0, ERR_RANGE for a level. */
int warc_compress_open(enum warc_coding coding, int level, struct warc_compress **ret,
	struct err *err) SP_MUST_CHECK;
void warc_compress_close(struct warc_compress *c);

/*
 * A record of exactly size bytes: begin, feed them in pieces, end. Feed and end return 0, what emit
 * returned, or ERR_STATE or ERR_LIMIT; after an error the next call must be begin.
 */
void warc_compress_begin(
	struct warc_compress *c, uint64_t size, warc_compress_emit *emit, void *context);
int warc_compress_feed(struct warc_compress *c, slice bytes, struct err *err) SP_MUST_CHECK;
int warc_compress_end(struct warc_compress *c, struct err *err) SP_MUST_CHECK;

/* All three at once. */
int warc_compress_record(struct warc_compress *c, slice record, warc_compress_emit *emit,
	void *context, struct err *err) SP_MUST_CHECK;

#endif
