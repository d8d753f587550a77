/*
 * Compact looks as records, with the bodies of patches (compact.h): what readers of WARC files use
 * that lie in one directory.
 */
#ifndef ARCHIVE_COMPACT_BODY_H
#define ARCHIVE_COMPACT_BODY_H

#include "archive/compact.h"
#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * Appends the records of a look (compact_expand). The response that a patch is against is read from
 * its file in dir. 0, ERR_NOTFOUND when it is not there or not the one, ERR_SYNTAX, ERR_LIMIT,
 * ERR_IO, ERR_NOMEM.
 */
int compact_records(const char *dir, const struct compact_look *look, struct buf *out,
	struct err *err) SP_MUST_CHECK;

struct warc_reader;

/* Reads the block of the record that the reader stands at, and ends it: 0, ERR_LIMIT, ERR_IO, … */
int compact_block(struct warc_reader *reader, struct buf *out, struct err *err) SP_MUST_CHECK;

/* Appends the directory of the file at path, "." when it names none: 0 or as buf_add. */
int compact_dir(const char *path, struct buf *out) SP_MUST_CHECK;

/*
 * Calls with the records of each look of a record's block, one look at a time. What cannot be read,
 * or is of a later version, is counted in *ret_bad and left out. 0, ERR_NOMEM, or what call
 * returned.
 */
typedef int compact_call(void *context, slice records, struct err *err);
int compact_each(const char *dir, slice block, compact_call *call, void *context, uint64_t *ret_bad,
	struct err *err) SP_MUST_CHECK;

#endif
