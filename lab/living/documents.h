/* What a site has besides its pages: robots.txt and sitemaps. They are no part of the truth. */
#ifndef LIVING_DOCUMENTS_H
#define LIVING_DOCUMENTS_H

#include "base/buf.h"
#include "base/slice.h"
#include "living/timeline.h"

/* Where they are asked for; borrows everything. */
struct documents {
	struct timeline *timeline;
	size_t host;
	slice authority; /* host and port, for the URLs in them */
};

/*
 * Writes the document of that path to body; *ret_type gets its media type. ERR_NOTFOUND when there
 * is none; ERR_NOMEM, ERR_LIMIT, and ERR_IO when the truth cannot be written any more.
 */
int documents_write(const struct documents *d, slice path, struct buf *body,
	const char **ret_type) SP_MUST_CHECK;

#endif
