/*
 * What a request looks like on the wire: the request line and the header fields. libcurl is given
 * the origin alone to connect to, and the target apart from it, so that path and query go out byte
 * for byte.
 */
#ifndef NET_REQUEST_H
#define NET_REQUEST_H

#include <curl/curl.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "net/net.h"

/*
 * Origin ("http://host:port/") and target ("/path?query") of the URL, into empty buffers.
 * Credentials and fragment are left out. 0, ERR_NOMEM, or ERR_SYNTAX for what is no HTTP URL.
 */
int request_split_url(
	slice url, struct buf *origin, struct buf *target, struct err *err) SP_MUST_CHECK;

/*
 * The header fields for libcurl: the request's own, and the usual ones it does not name itself. The
 * caller frees *ret with curl_slist_free_all. 0, ERR_NOMEM, or ERR_SYNTAX for a name or value that
 * HTTP does not allow.
 */
int request_headers(const struct net_request *request, const char *user_agent,
	struct curl_slist **ret, struct err *err) SP_MUST_CHECK;

/* Makes it a POST if the request has a body; false without memory. */
bool request_set_body(const struct net_request *request, CURL *easy);

#endif
