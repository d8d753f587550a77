/*
 * Many sorted indexes as one: k-way merging, and an external merge sort on top of it (Knuth, The
 * Art of Computer Programming 3, §5.4): runs as large as the memory allows are sorted and put into
 * temporary files, of which CDXJ_FAN_IN at a time become one. Memory is bounded by what is asked
 * for plus a line for each file being merged.
 */
#ifndef ARCHIVE_CDXJ_MERGE_H
#define ARCHIVE_CDXJ_MERGE_H

#include "archive/cdxj.h"
#include "archive/lines.h"
#include "base/api.h"
#include "base/err.h"

enum {
	CDXJ_MERGE_MAX = 256,            /* files merged at once */
	CDXJ_FAN_IN = 64,                /* runs that a sort makes before it merges them */
	CDXJ_SORT_MEMORY_MIN = 64 << 10, /* a run has to be worth its file */
	CDXJ_SORT_MEMORY = 64 << 20,     /* unless said */
};

enum cdxj_merge_flags {
	CDXJ_UNIQUE = 1, /* of lines that are the same, one */
};

/*
 * Hands the lines of sorted inputs to emit, in their order; empty ones are left out. 0, ERR_LIMIT
 * for more than CDXJ_MERGE_MAX inputs, what emit returned, or as lines_next.
 */
int cdxj_merge(struct lines *inputs, size_t count, unsigned flags, cdxj_emit *emit, void *context,
	struct err *err) SP_MUST_CHECK;

struct cdxj_sort; /* opaque */

/*
 * Temporary files are made in dir, and are gone with the process whatever happens; memory is in
 * bytes, 0 for CDXJ_SORT_MEMORY. 0, ERR_NOMEM. dir is borrowed.
 */
int cdxj_sort_open(const char *dir, size_t memory, unsigned flags, struct cdxj_sort **ret,
	struct err *err) SP_MUST_CHECK;
void cdxj_sort_close(struct cdxj_sort *s);

/* Adds a line, without its end. 0, ERR_LIMIT for one that is too long, ERR_IO, ERR_NOMEM. */
int cdxj_sort_add(struct cdxj_sort *s, slice line, struct err *err) SP_MUST_CHECK;

/* Hands out all lines in their order, once; then only cdxj_sort_close is possible. */
int cdxj_sort_finish(
	struct cdxj_sort *s, cdxj_emit *emit, void *context, struct err *err) SP_MUST_CHECK;

/* A cdxj_emit that writes the line and its end to a FILE, the context: 0 or ERR_IO. */
int cdxj_put_line(void *context, slice line, struct err *err) SP_MUST_CHECK;

#endif
