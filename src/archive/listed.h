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

/* Adds the address of a TimeMap: 0, ERR_LIMIT, ERR_NOMEM. One with a line break is none. */
int listed_more_timemap(struct listed_more *more, slice address) SP_MUST_CHECK;

/* "sha1:…" or a value alone, whose length tells the algorithm; "-" and "" are no digest. */
listed_digest listed_digest_parse(slice text);
listed_digest listed_digest_of(const struct digest *d);

#endif
