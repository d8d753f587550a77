/* CDXJ indexes: lines, and sorted files of them. */
#ifndef WARC_CDXJ_H
#define WARC_CDXJ_H

#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "warc/attempt.h"
#include "warc/lines.h"
#include "warc/warc_date.h"
#include "warc/warc_reader.h"

/* ---- writing a line ---- */

/*
 * Lines of a CDXJ index, as pywb and warcio write them:
 *
 *	com,example)/ 20160111232425 {"url":"http://example.com/","mime":"text/html","status":"200",
 *	"digest":"…","length":"1234","offset":"5678","filename":"a.warc.gz"}
 *
 * Numbers are strings; the digest has no algorithm in front; what is not known is left out. Indexes
 * are sorted by their bytes (LC_ALL=C). The key, a SURT, is made by who calls: this room knows no
 * URLs.
 */

enum {
	CDXJ_LINE_MAX = 512 << 10, /* bytes of a line without its end */
	CDXJ_DEPTH_MAX = 64,       /* nested values in fields that we do not know */
};

/* All slices are borrowed; those whose ptr is NULL are unknown. */
struct cdxj {
	slice key;
	char timestamp[WARC_DATE_DIGITS_SIZE];
	slice url;
	slice mime;
	slice digest;
	slice filename;
	unsigned status; /* 0 when unknown */
	bool has_place;
	uint64_t length;
	uint64_t offset;
};

/*
 * Appends the line and its LF: 0, ERR_SYNTAX for a key that is empty or has blanks in it,
 * ERR_LIMIT; out is unchanged then.
 */
int cdxj_write(struct buf *out, const struct cdxj *line) SP_MUST_CHECK;

/*
 * The line of a record that is complete, without its key. False for what is not indexed: gaps,
 * requests, warcinfo, fields as metadata, and records that share a member, which no reader finds by
 * offset. Borrows from record and filename.
 */
bool cdxj_from_record(const struct warc_record *record, slice filename, struct cdxj *ret);

/*
 * Reads a line without its end. Strings that have escapes are put into scratch, which must not
 * change as long as the line is used. Fields that we do not know are passed over. 0, ERR_SYNTAX,
 * ERR_LIMIT.
 */
int cdxj_parse(slice line, struct buf *scratch, struct cdxj *ret) SP_MUST_CHECK;

/* Bytes of two lines compared as LC_ALL=C does: below, at or above 0. */
int cdxj_compare(slice a, slice b);

/* Takes lines (without their ends), in their order; what it returns but 0 ends the work. */
typedef int cdxj_emit(void *context, slice line, struct err *err);

/* ---- lines of records ---- */

/*
 * Lines of an archive's index.cdxj, from the records themselves: what `stillpoint index` writes and
 * `stillpoint verify` expects. The crawler writes the same lines from its catalog.
 */

/* Key of a URL, its SURT, into out, which is emptied first: 0, or another when none. */
int cdxj_key(struct buf *out, slice url) SP_MUST_CHECK;

/* A digest as it stands in indexes, without its algorithm in front. */
slice cdxj_digest(const struct digest *d, char out[DIGEST_TEXT_SIZE]);

/*
 * Puts the line of a record that is complete into out, without its end; key is for scratch. 0,
 * ERR_NOTFOUND for what is not indexed: as cdxj_from_record says, what the DNS said, and URLs that
 * cannot be parsed.
 */
int cdxj_record_line(struct buf *out, struct buf *key, const struct warc_record *record,
	slice filename) SP_MUST_CHECK;

/*
 * The same line from an attempt that has a record: 0, ERR_NOTFOUND for one without a
 * response, or whose URL cannot be parsed.
 */
int cdxj_attempt_line(struct buf *out, struct buf *key, const struct attempt *a) SP_MUST_CHECK;

/* ---- looking up ---- */

/*
 * Looking up in a sorted index by binary search over its bytes: about two reads for each doubling
 * of the file, and no memory that grows with it.
 */

/*
 * Moves lines, whose file is sorted, to the first line that is not below the bytes of from; whether
 * there is one is for lines_next to tell. 0, ERR_IO, ERR_LIMIT.
 */
int cdxj_find(struct lines *lines, slice from, struct err *err) SP_MUST_CHECK;

/*
 * The same, but the line before that, if there is one: in an index of blocks, named by their first
 * lines, that is where a search has to begin.
 */
int cdxj_find_before(struct lines *lines, slice from, struct err *err) SP_MUST_CHECK;

/* Whether a line has this key: the key, and a blank behind it. */
bool cdxj_has_key(slice line, slice key);

/* ---- merging ---- */

/*
 * Many sorted indexes as one: k-way merging, and an external merge sort on top of it (Knuth, The
 * Art of Computer Programming 3, §5.4): runs as large as the memory allows are sorted and put into
 * temporary files, of which CDXJ_FAN_IN at a time become one. Memory is bounded by what is asked
 * for plus a line for each file being merged.
 */

enum {
	CDXJ_MERGE_MAX = 256,            /* files merged at once */
	CDXJ_FAN_IN = 64,                /* runs that a sort makes before it merges them */
	CDXJ_SORT_MEMORY_MIN = 64 << 10, /* a run has to be worth its file */
	CDXJ_SORT_MEMORY = 8 << 20,      /* unless said */
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
 * bytes, 0 for CDXJ_SORT_MEMORY. dir is borrowed.
 */
struct cdxj_sort *cdxj_sort_open(const char *dir, size_t memory, unsigned flags) SP_NONNULL_RESULT;
void cdxj_sort_close(struct cdxj_sort *s);

/* Adds a line, without its end. 0, ERR_LIMIT for one that is too long, ERR_IO. */
int cdxj_sort_add(struct cdxj_sort *s, slice line, struct err *err) SP_MUST_CHECK;

/* Hands out all lines in their order, once; then only cdxj_sort_close is possible. */
int cdxj_sort_finish(
	struct cdxj_sort *s, cdxj_emit *emit, void *context, struct err *err) SP_MUST_CHECK;

/* A cdxj_emit that writes the line and its end to a FILE, the context: 0 or ERR_IO. */
int cdxj_put_line(void *context, slice line, struct err *err) SP_MUST_CHECK;

#endif
