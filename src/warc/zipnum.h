/* Indexes in blocks that are compressed, and going through an index of either kind. */
#ifndef WARC_ZIPNUM_H
#define WARC_ZIPNUM_H

#include <stdint.h>
#include <stdio.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "warc/cdxj.h"
#include "warc/lines.h"

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

enum {
	ZIPNUM_LINES = 3000,         /* of a block, unless said */
	ZIPNUM_TEXT_MAX = 8 << 20,   /* bytes of a block that is written: it ends earlier then */
	ZIPNUM_BLOCK_MAX = 64 << 20, /* bytes of a block that is read, uncompressed */
};

struct zipnum_writer; /* opaque */

/*
 * Blocks go to data, their lines to index (both borrowed, flushed and closed by the caller, who
 * gives the name of data). lines is the number for each block, 0 for ZIPNUM_LINES. 0, ERR_IO.
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
 * 0, ERR_IO, ERR_LIMIT.
 */
int zipnum_reader_open(
	int data, int index, slice from, struct zipnum_reader **ret, struct err *err) SP_MUST_CHECK;
/* The same for parts of files, which are copied; their files are borrowed. */
void zipnum_reader_close(struct zipnum_reader *r);

/* The next line, valid until the next call: 0, ERR_END, ERR_SYNTAX (a damaged block), ERR_IO, … */
int zipnum_reader_next(struct zipnum_reader *r, slice *ret, struct err *err) SP_MUST_CHECK;

/* ---- going through an index ---- */

/*
 * Several sorted indexes read as one, from any key on: files in plain CDXJ, files in ZipNum, and
 * lines in memory. A line that is in several of them comes once.
 *
 *	rc = cdxj_scan_open(sources, count, SLICE("org,example)/ "), &scan, err);
 *	while (rc == 0 && (rc = cdxj_scan_next(scan, &line, err)) == 0)
 *		use(line);
 *	cdxj_scan_close(scan);
 */

enum cdxj_source_kind {
	CDXJ_PLAIN,
	CDXJ_ZIPNUM,
	CDXJ_MEMORY,
};

/* Everything is borrowed. */
struct cdxj_source {
	enum cdxj_source_kind kind;
	struct file_part data;
	struct file_part blocks; /* of ZipNum: the index of the blocks */
	const slice *lines;      /* in memory: sorted, without their ends */
	size_t count;
};

struct cdxj_scan; /* opaque */

/* Begins at the first line that is not below the bytes of from, which is copied. 0, ERR_IO, … */
int cdxj_scan_open(const struct cdxj_source *sources, size_t count, slice from,
	struct cdxj_scan **ret, struct err *err) SP_MUST_CHECK;
void cdxj_scan_close(struct cdxj_scan *s); /* NULL is fine */

/* The next line, valid until the next call: 0, ERR_END, ERR_SYNTAX (a damaged block), ERR_IO. */
int cdxj_scan_next(struct cdxj_scan *s, slice *ret, struct err *err) SP_MUST_CHECK;

#endif
