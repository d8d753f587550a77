/* Records that are read at their places, and the bodies of compact looks. */
#ifndef WARC_RECORD_BODY_H
#define WARC_RECORD_BODY_H

#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "warc/compact.h"
#include "warc/warc_input.h"

/* ---- records at their places ---- */

/* A record that is read at its place: its block, or the body of its response. */

struct warc_reader;
struct warc_record;

/* Where a response record is, and its id with angle brackets, which must be right. */
struct record_place {
	slice file; /* without ".open" */
	uint64_t offset;
	slice id;
};

/*
 * Opens a WARC file of a directory, complete or being written (".open"): a file descriptor, or -1
 * with errno.
 */
int record_body_open(const char *dir, slice file);

/*
 * The record at a place, if it has that id (any, if it is empty): its header is read, its block
 * follows. dir may also be a WACZ file that has the WARC file. The caller closes the reader. 0,
 * ERR_NOTFOUND when there is no such file or record, ERR_IO.
 */
int record_at(const char *dir, const struct record_place *place, unsigned flags,
	struct warc_reader **ret, const struct warc_record **ret_record,
	struct err *err) SP_MUST_CHECK;

/*
 * Calls for each record and gap of a file, whose block it may read; the rest of it is passed over.
 * 0, ERR_IO, or what call returned; ERR_END ends the walk.
 */
typedef int record_call(void *context, struct warc_reader *reader, const struct warc_record *record,
	struct err *err);
int record_each(const struct warc_source *source, unsigned flags, record_call *call, void *context,
	struct err *err) SP_MUST_CHECK;

/*
 * The block of a record that is small if it is of use: none, if it is longer than out may be. 0,
 * ERR_IO.
 */
int record_small(struct warc_reader *r, struct buf *out, struct err *err) SP_MUST_CHECK;

/* Appends the rest of the block and ends the record, which must be sound. */
int record_rest(struct warc_reader *r, const struct warc_record *rec, struct buf *out,
	struct err *err) SP_MUST_CHECK;

/*
 * Appends the block of a response or revisit record, HTTP head and all; and the id of the record
 * that it refers to, if it is a revisit record. As record_body_read.
 */
int record_block_read(const char *dir, const struct record_place *place, struct buf *out,
	struct buf *ret_refers_to, struct err *err) SP_MUST_CHECK;

/*
 * Appends the block behind the HTTP head to out, whose maximum counts. The record must be sound:
 * its digests are checked, unless flags (enum warc_reader_flags) say otherwise. 0, ERR_NOTFOUND
 * when there is no such record, ERR_SYNTAX, ERR_LIMIT, ERR_IO.
 */
int record_body_read(const char *dir, const struct record_place *place, unsigned flags,
	struct buf *out, struct err *err) SP_MUST_CHECK;

/* ---- compact looks as records ---- */

/*
 * Compact looks as records, with the bodies of patches (compact.h): what readers of WARC files use
 * that lie in one directory.
 */

/*
 * Appends the records of a look (compact_expand). The response that a patch is against is read from
 * its file in dir. 0, ERR_NOTFOUND when it is not there or not the one, ERR_SYNTAX, ERR_LIMIT,
 * ERR_IO.
 */
int compact_records(const char *dir, const struct compact_look *look, struct buf *out,
	struct err *err) SP_MUST_CHECK;

struct warc_reader;

/* Reads the block of the record that the reader stands at, and ends it: 0, ERR_LIMIT, ERR_IO, … */
int compact_block(struct warc_reader *reader, struct buf *out, struct err *err) SP_MUST_CHECK;

/* Appends the directory of the file at path, "." when it names none: 0 or as buf_add. */
int compact_dir(const char *path, struct buf *out) SP_MUST_CHECK;

/*
 * Calls for each look of a block; look is NULL for one that cannot be read or is of a later
 * version, as code says: ERR_SYNTAX, ERR_UNSUPPORTED, which may be all of them. Strings are valid
 * for the call, size is that of its row. 0, or what call returned.
 */
typedef int compact_row_call(
	void *context, const struct compact_look *look, uint64_t size, int code, struct err *err);
int compact_each_row(
	slice block, compact_row_call *call, void *context, struct err *err) SP_MUST_CHECK;

/* The same of rows that wait in a catalog for their block. */
int compact_each_waiting(
	slice rows, compact_row_call *call, void *context, struct err *err) SP_MUST_CHECK;

/* The same of the block of the record that the reader stands at, which it ends: ERR_LIMIT, … */
int compact_each_of(struct warc_reader *reader, compact_row_call *call, void *context,
	struct err *err) SP_MUST_CHECK;

/*
 * Calls with the records of each look of a record's block, one look at a time. What cannot be read,
 * or is of a later version, is counted in *ret_bad and left out. 0, or what call
 * returned.
 */
typedef int compact_call(void *context, slice records, struct err *err);
int compact_each(const char *dir, slice block, compact_call *call, void *context, uint64_t *ret_bad,
	struct err *err) SP_MUST_CHECK;

#endif
