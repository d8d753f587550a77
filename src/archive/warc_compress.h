/*
 * Compresses records, each into a gzip member or zstd frame of its own: in one go when the record
 * is small enough to be held in memory, else as the bytes come.
 */
#ifndef ARCHIVE_WARC_COMPRESS_H
#define ARCHIVE_WARC_COMPRESS_H

#include "archive/warc_gzip.h"
#include "archive/warc_input.h"
#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum {
	WARC_COMPRESS_SMALL_MAX = 1 << 20, /* bytes of a record that is compressed in one go */
	WARC_ZSTD_LEVEL_MAX = 19,          /* those above need windows that readers may refuse */
};

struct warc_compress; /* opaque */

/* Takes compressed bytes; 0 or an error, which ends the record and is passed on. */
typedef int warc_compress_emit(void *context, slice bytes, struct err *err);

/* level 0 is the default, which is 3 for both. 0, ERR_RANGE for a level, ERR_NOMEM. */
int warc_compress_open(enum warc_coding coding, int level, struct warc_compress **ret,
	struct err *err) SP_MUST_CHECK;
void warc_compress_close(struct warc_compress *c);

/*
 * A record of exactly size bytes: begin, feed them in pieces, end. All return 0, ERR_NOMEM, or what
 * emit returned; after an error the next call must be begin.
 */
int warc_compress_begin(struct warc_compress *c, uint64_t size, warc_compress_emit *emit,
	void *context, struct err *err) SP_MUST_CHECK;
int warc_compress_feed(struct warc_compress *c, slice bytes, struct err *err) SP_MUST_CHECK;
int warc_compress_end(struct warc_compress *c, struct err *err) SP_MUST_CHECK;

#endif
