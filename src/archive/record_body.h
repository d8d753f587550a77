/*
 * The body of a response record, found by its place: what patches are made against (compact.h).
 */
#ifndef ARCHIVE_RECORD_BODY_H
#define ARCHIVE_RECORD_BODY_H

#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

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
 * Appends the block of a response or revisit record, HTTP head and all; and the id of the record
 * that it refers to, if it is a revisit record. As record_body_read.
 */
int record_block_read(const char *dir, const struct record_place *place, struct buf *out,
	struct buf *ret_refers_to, struct err *err) SP_MUST_CHECK;

/*
 * Appends the block behind the HTTP head to out, whose maximum counts. The record must be sound:
 * its digests are checked, unless flags (enum warc_reader_flags) say otherwise. 0, ERR_NOTFOUND
 * when there is no such record, ERR_SYNTAX, ERR_LIMIT, ERR_IO, ERR_NOMEM.
 */
int record_body_read(const char *dir, const struct record_place *place, unsigned flags,
	struct buf *out, struct err *err) SP_MUST_CHECK;

#endif
