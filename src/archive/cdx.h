/*
 * Lines of CDX files (https://iipc.github.io/warc-specifications/specifications/cdx-format/):
 * fields separated by blanks. The header " CDX N b a m s k r M S V g" says which; without one the
 * usual order is taken: key, date, URL, media type, status, digest, and more that is not read. That
 * holds for files of 9 and 11 fields, and for the 7 that CDX servers send.
 */
#ifndef ARCHIVE_CDX_H
#define ARCHIVE_CDX_H

#include "archive/listed.h"
#include "base/api.h"

enum { CDX_FIELDS_MAX = 64, CDX_FIELDS_MIN = 6 };

/* Which field is what, from 0; -1: not there. */
struct cdx_layout {
	char separator;
	int fields; /* that lines must have at least */
	int date, url, status, digest;
};

/* That of a file without a header. */
struct cdx_layout cdx_layout_usual(void);

/* Whether a line is a header. */
bool cdx_is_header(slice line);

/* Reads a header: 0, ERR_SYNTAX where date or URL is missing. */
int cdx_layout_parse(slice line, struct cdx_layout *ret) SP_MUST_CHECK;

/* Reads a line; borrows it. 0 or ERR_SYNTAX. */
int cdx_parse(const struct cdx_layout *layout, slice line, struct listed *ret) SP_MUST_CHECK;

/* A date as CDX and CDXJ have it, 14 digits: 0, ERR_SYNTAX, ERR_RANGE. */
int cdx_date_parse(slice digits, int64_t *ret_ns) SP_MUST_CHECK;

/* A status; 0 for what is none. */
unsigned cdx_status_parse(slice text);

#endif
