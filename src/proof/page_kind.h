/*
 * The kind of a page: its directory. That is the path without its last segment; segments that hold
 * figures (years, numbers) are "*". Pure.
 *
 *	http://example.org/news/ of http://example.org/news/a.html
 */
#ifndef PROOF_PAGE_KIND_H
#define PROOF_PAGE_KIND_H

#include "base/api.h"
#include "base/buf.h"
#include "formats/url.h"

enum { PAGE_KIND_MAX = 8192 }; /* bytes of one */

/* Appends the kind of the page at that URL. 0, ERR_NOMEM, ERR_LIMIT. */
int page_kind(const struct url *url, struct buf *out) SP_MUST_CHECK;

#endif
