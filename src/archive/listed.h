/*
 * What a capture of a page, by whomever, says about it: when it was, and a digest of what was
 * there. Two captures with the same digest: the page had not changed in between, as far as captures
 * can tell. Captures without a digest, as in TimeMaps, say nothing about changes.
 */
#ifndef ARCHIVE_LISTED_H
#define ARCHIVE_LISTED_H

#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "formats/http_digest.h"
#include "plan/rate_estimate.h"

/* Digests of different algorithms are not comparable; the low byte is the algorithm. */
typedef uint64_t listed_digest;

enum {
	LISTED_NO_DIGEST = 0,
	LISTED_ALGORITHM = 0xff, /* mask */
};

struct listed {
	slice url;    /* as written; borrowed */
	int64_t time; /* ns since 1970 */
	listed_digest digest;
	unsigned status;  /* of HTTP; 0: unknown */
	int64_t modified; /* what the server says of the last change before, ns; 0: nothing */
	enum frequency frequency; /* the word that a sitemap has for it */
};

/* Where a list goes on, as servers say. Both bufs are initialised by the caller. */
struct listed_more {
	struct buf key;      /* of a CDX server: what to ask for next; empty at the end */
	struct buf timemaps; /* addresses of other TimeMaps, a line each, as written */
};

enum {
	LISTED_KEY_MAX = 16 << 10,
	LISTED_TIMEMAPS_MAX = 4 << 20,
};

/* Takes one; what it returns but 0 ends the reading and is returned. */
typedef int listed_sink(void *context, const struct listed *o, struct err *err);

/* Adds the address of a TimeMap: 0, ERR_LIMIT. One with a line break is none. */
int listed_more_timemap(struct listed_more *more, slice address) SP_MUST_CHECK;

/* "sha1:…" or a value alone, whose length tells the algorithm; "-" and "" are no digest. */
listed_digest listed_digest_parse(slice text);
listed_digest listed_digest_of(const struct digest *d);

/*
 * Lines of CDX files (https://iipc.github.io/warc-specifications/specifications/cdx-format/):
 * fields separated by blanks. The header " CDX N b a m s k r M S V g" says which; without one the
 * usual order is taken: key, date, URL, media type, status, digest, and more that is not read. That
 * holds for files of 9 and 11 fields, and for the 7 that CDX servers send.
 */

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
