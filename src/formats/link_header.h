/*
 * HTTP Link headers (RFC 8288, section 3, read as its appendix B says).
 *
 *	link_header_init(&h, value);
 *	while ((rc = link_header_next(&h, &link)) == 0)
 *		use(link.target, link.rel);
 *	link_header_release(&h);
 */
#ifndef FORMATS_LINK_HEADER_H
#define FORMATS_LINK_HEADER_H

#include <stdbool.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

enum { LINK_HEADER_MAX = 64 << 10 }; /* bytes of a field's value that are read */

/* Slices are valid until the next call; of a parameter given twice the first one counts. */
struct link_header_link {
	slice target;
	slice rel;
	slice as;
	slice type;
	slice anchor;
};

/* Fields are the reader's own. */
struct link_header {
	slice left; /* borrowed */
	struct buf scratch;
};

/* Starts with a field's value, borrowed until release; allocates nothing. */
void link_header_init(struct link_header *h, slice value);
void link_header_release(struct link_header *h);

/* The next link: 0, ERR_END or ERR_NOMEM. What is no link is skipped up to the next comma. */
int link_header_next(struct link_header *h, struct link_header_link *ret_link) SP_MUST_CHECK;

#endif
