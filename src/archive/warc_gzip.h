/*
 * gzip members by ISA-L: of a record that is in memory in one go, of others as the bytes come.
 *
 * Records of a few hundred bytes are mostly head: names that all records share, and identifiers and
 * digests in hexadecimal. To count the letters of each and make Huffman codes of them takes four
 * times as long as all the rest, so they all share codes that were made once, of records like them.
 */
#ifndef ARCHIVE_WARC_GZIP_H
#define ARCHIVE_WARC_GZIP_H

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum {
	WARC_GZIP_LEVEL_MAX = 3,
	WARC_GZIP_ALIKE_MAX = 2048, /* bytes of records that share their codes */
};

struct warc_gzip; /* opaque */

/* level from 1 to 3. 0 or ERR_NOMEM. */
int warc_gzip_open(int level, struct warc_gzip **ret) SP_MUST_CHECK;
void warc_gzip_close(struct warc_gzip *g);

/* The member of a record, which is shorter than 1 GiB, in memory; out must have that room. */
size_t warc_gzip_room(size_t record);
int warc_gzip_whole(struct warc_gzip *g, slice record, char *out, size_t *ret_len) SP_MUST_CHECK;

/*
 * Unpacks a member that is all of the bytes, its checksum checked, into out, which has a maximum:
 * 0, ERR_LIMIT when it does not fit, ERR_SYNTAX when the bytes are anything else, ERR_NOMEM. It
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

#endif
