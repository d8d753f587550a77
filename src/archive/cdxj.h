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
#ifndef ARCHIVE_CDXJ_H
#define ARCHIVE_CDXJ_H

#include <stdint.h>

#include "archive/warc_date.h"
#include "archive/warc_reader.h"
#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

enum {
	CDXJ_LINE_MAX = 512 << 10, /* bytes of a line without its end */
	CDXJ_DEPTH_MAX = 16,       /* nested values in fields that we do not know */
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
 * ERR_LIMIT, ERR_NOMEM; out is unchanged then.
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
 * ERR_LIMIT, ERR_NOMEM.
 */
int cdxj_parse(slice line, struct buf *scratch, struct cdxj *ret) SP_MUST_CHECK;

/* Bytes of two lines compared as LC_ALL=C does: below, at or above 0. */
int cdxj_compare(slice a, slice b);

/* Takes lines (without their ends), in their order; what it returns but 0 ends the work. */
typedef int cdxj_emit(void *context, slice line, struct err *err);

#endif
