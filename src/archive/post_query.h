/*
 * How answers to POST and PUT are told apart in an index: method and body of the request become
 * part of the URL's query, as cdxj-indexer and pywb have it:
 *
 *	http://example.org/a?__wb_method=POST&name=value
 *
 * A form (application/x-www-form-urlencoded) stands there as it is; JSON as its names and values,
 * the second value of a name under "name.2_"; anything else as __wb_post_data and base64.
 */
#ifndef ARCHIVE_POST_QUERY_H
#define ARCHIVE_POST_QUERY_H

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

enum {
	POST_BODY_MAX = 16 << 10, /* bytes of a body that count */
	POST_QUERY_MAX = 64 << 10,
	POST_DEPTH_MAX = 32, /* of JSON; deeper values are left out */
};

/* Whether requests by this method have such a key; the case of the method matters. */
bool post_query_has_key(slice method);

/* Appends "__wb_method=POST&…" for a request with this body. 0, ERR_LIMIT or ERR_NOMEM. */
int post_query_add(struct buf *out, slice method, slice content_type, slice body) SP_MUST_CHECK;

/*
 * A page that a form's POST leads to is known by a URL of that kind: appends it, and finds its
 * parts again. False for a URL without such a query.
 */
int post_query_join(struct buf *out, slice url, slice body) SP_MUST_CHECK;
bool post_query_split(slice page, slice *ret_url, slice *ret_body);

/* The key of a URL with such a query, into out, which is emptied first. As cdxj_key. */
int post_query_key(struct buf *out, slice url, slice query) SP_MUST_CHECK;

#endif
