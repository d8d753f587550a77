/*
 * ZipNum: a sorted CDXJ index in blocks, each a gzip member of ZIPNUM_LINES lines, and a small
 * index of the blocks beside it, as pywb and WACZ (1.1.1 §5.1.5) have them. The second begins with
 *
 *	!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}
 *
 * and goes on with a line for each block, named by its first line:
 *
 *	com,example)/ 20160111232425 {"offset":0,"length":5678,"digest":"sha256:…","filename":"…"}
 *
 * Read are these and pywb's older form, which has tabs: key and timestamp, part, offset, length.
 */
#ifndef ARCHIVE_ZIPNUM_H
#define ARCHIVE_ZIPNUM_H

#include <stdint.h>
#include <stdio.h>

#include "archive/cdxj.h"
#include "archive/file_part.h"
#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum {
	ZIPNUM_LINES = 3000,         /* of a block, unless said */
	ZIPNUM_TEXT_MAX = 8 << 20,   /* bytes of a block that is written: it ends earlier then */
	ZIPNUM_BLOCK_MAX = 64 << 20, /* bytes of a block that is read, uncompressed */
};

struct zipnum_writer; /* opaque */

/*
 * Blocks go to data, their lines to index (both borrowed, flushed and closed by the caller, who
 * gives the name of data). lines is the number for each block, 0 for ZIPNUM_LINES. 0, ERR_IO,
 * ERR_NOMEM.
 */
int zipnum_writer_open(FILE *data, FILE *index, const char *name, unsigned lines,
	struct zipnum_writer **ret, struct err *err) SP_MUST_CHECK;

/* Adds a line without its end; lines come sorted. A cdxj_emit: context is the writer. */
int zipnum_writer_add(void *writer, slice line, struct err *err) SP_MUST_CHECK;

/* Writes the last block and frees the writer in any case. NULL is fine. */
int zipnum_writer_close(struct zipnum_writer *w, struct err *err) SP_MUST_CHECK;

/* Frees it without writing anything more. */
void zipnum_writer_free(struct zipnum_writer *w);

struct zipnum_reader; /* opaque */

/*
 * Reads from the first line that is not below from. The files (index: not compressed) are borrowed.
 * 0, ERR_IO, ERR_LIMIT, ERR_NOMEM.
 */
int zipnum_reader_open(
	int data, int index, slice from, struct zipnum_reader **ret, struct err *err) SP_MUST_CHECK;
/* The same for parts of files, which are copied; their files are borrowed. */
int zipnum_reader_open_parts(const struct file_part *data, const struct file_part *index,
	slice from, struct zipnum_reader **ret, struct err *err) SP_MUST_CHECK;
void zipnum_reader_close(struct zipnum_reader *r);

/* The next line, valid until the next call: 0, ERR_END, ERR_SYNTAX (a damaged block), ERR_IO, … */
int zipnum_reader_next(struct zipnum_reader *r, slice *ret, struct err *err) SP_MUST_CHECK;

#endif
