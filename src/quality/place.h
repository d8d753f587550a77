/*
 * Places in the template of a page, as text: so that what stands there can be recognised on other
 * pages of the same kind. Pure.
 *
 * The *kind* of a page is its directory and the shape of its markup:
 *
 *	http://example.org/news/ 5f3a9c11
 *
 * The directory is the path without its last segment; segments that hold figures (years, numbers)
 * are "*". The shape is a hash of which elements stand in which others, three levels deep: two
 * pages of one template have the same, however many paragraphs they have.
 *
 * A place is the names of the elements around it: "html>body>form#search>input". Ids that hold
 * figures are left out: they are those of one page, or random.
 */
#ifndef QUALITY_PLACE_H
#define QUALITY_PLACE_H

#include "base/api.h"
#include "base/buf.h"
#include "extract/view.h"
#include "url/url.h"

enum {
	PLACE_DEPTH_MAX = 48,     /* elements of a place */
	PLACE_TEXT_MAX = 1 << 10, /* bytes of one */
	PLACE_SHAPE_DEPTH = 3,
};

/* Appends the kind of the page that a finished view shows. 0, ERR_NOMEM, ERR_LIMIT. */
int place_kind(const struct url *url, const struct view *v, struct buf *out) SP_MUST_CHECK;

/* Appends the first half of it: "http://example.org/news/". The same. */
int place_directory(const struct url *url, struct buf *out) SP_MUST_CHECK;

/* Appends the place of an element (view_item.node). 0, ERR_NOMEM; ERR_LIMIT: it lies too deep. */
int place_of(const struct view *v, uint32_t node, struct buf *out) SP_MUST_CHECK;

/*
 * Whether an address in a page leads to another site: another registrable domain, or another host
 * where there is none. One that cannot be read, or has no host, does not. *ret_host: its host,
 * valid as long as the scratch URL is.
 */
bool place_is_foreign(const struct url *page, slice ref, struct url *scratch, slice *ret_host);

#endif
