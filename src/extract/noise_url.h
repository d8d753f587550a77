/*
 * Addresses without what is made anew for each download: session ids, cache busters, expiring
 * signatures; hidden e-mail addresses are decoded. Where an address leads is
 * content: what is not known to be noise stays, in its order.
 */
#ifndef EXTRACT_NOISE_URL_H
#define EXTRACT_NOISE_URL_H

#include "base/buf.h"
#include "extract/noise_rules.h"

enum noise_url_use {
	NOISE_URL_LINK,  /* to be followed: only session ids and long clock readings go */
	NOISE_URL_EMBED, /* to be seen: versions and hashes in the query go, too */
};

/* What an address in data is for: to be seen when its name or its path says that of an image. */
enum noise_url_use noise_url_use_of(slice name, slice ref);

/*
 * Appends the address as it is compared. Nothing is appended for one that only serves a network's
 * check of the browser. 0, ERR_LIMIT or ERR_NOMEM.
 */
int noise_url(struct noise *n, enum noise_url_use use, slice ref, struct buf *out) SP_MUST_CHECK;

#endif
