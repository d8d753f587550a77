/*
 * What a capture of a page, by whomever, says about it: when it was, and a digest of what was
 * there. Two captures with the same digest: the page had not changed in between, as far as captures
 * can tell. Captures without a digest, as in TimeMaps, say nothing about changes.
 */
#ifndef IMPORT_LISTED_H
#define IMPORT_LISTED_H

#include <stdint.h>

#include "base/err.h"
#include "base/slice.h"
#include "http/digest.h"

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
	unsigned status; /* of HTTP; 0: unknown */
};

/* Takes one; what it returns but 0 ends the reading and is returned. */
typedef int listed_sink(void *context, const struct listed *o, struct err *err);

/* "sha1:…" or a value alone, whose length tells the algorithm; "-" and "" are no digest. */
listed_digest listed_digest_parse(slice text);
listed_digest listed_digest_of(const struct digest *d);

#endif
