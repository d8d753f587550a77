/*
 * Requests in archives: the form that many share, and how those with bodies become part of an index
 * key.
 */
#ifndef WARC_WARC_REQUEST_H
#define WARC_WARC_REQUEST_H

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "warc/warc_header.h"

/* ---- forms of requests ---- */

/*
 * The form of a request's head: what the requests of a crawl have in common. Almost all of them
 * differ by path and host alone, so a revisit record does not repeat the head; it has the number of
 * its form, which is a record of its own in the same file (docs/archive.md). In a form stand
 *
 *	{path}	in place of the request's target: the URL's path and query
 *	{url}	the same, where that is the whole URL (to a proxy)
 *	{host}	in place of the value of Host, which is the first field
 *
 * and only where they give back the exact bytes; what is otherwise stands there as it was sent.
 */

#define REQUEST_FORM_TARGET "urn:x-stillpoint:request"
#define REQUEST_FORM_FIRST  "request: " /* of the record's block; then the form */
#define REQUEST_FORM_NUMBER "stillpoint-form"

/* Appends the form of the head of a request for url: 0, ERR_UNSUPPORTED when it can have none, or
 * as buf_add. */
int request_form_make(slice head, slice url, struct buf *out) SP_MUST_CHECK;

/* Appends the head of a request of that form for url: 0 or as buf_add. */
int request_form_fill(slice form, slice url, struct buf *out) SP_MUST_CHECK;

/* Whether a record is a form; then it has a number in its file. */
bool request_form_is(const struct warc_header *h);
bool request_form_number(const struct warc_header *h, unsigned *ret);

/* ---- requests with bodies ---- */

/*
 * How answers to POST and PUT are told apart in an index: method and body of the request become
 * part of the URL's query, as cdxj-indexer and pywb have it:
 *
 *	http://example.org/a?__wb_method=POST&name=value
 *
 * A form (application/x-www-form-urlencoded) stands there as it is; JSON as its names and values,
 * the second value of a name under "name.2_"; anything else as __wb_post_data and base64.
 */

enum {
	POST_BODY_MAX = 16 << 10, /* bytes of a body that count */
	POST_QUERY_MAX = 64 << 10,
	POST_DEPTH_MAX = 32, /* of JSON; deeper values are left out */
};

/* Whether requests by this method have such a key; the case of the method matters. */
bool post_query_has_key(slice method);

/* Appends "__wb_method=POST&…" for a request with this body. 0 or ERR_LIMIT. */
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
