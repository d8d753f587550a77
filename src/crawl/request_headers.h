/*
 * Header fields that a capture adds to its requests: extra ones, passwords, cookies. Passwords and
 * fields that may be keys are sent only to the origins of the seeds (and to https of the same host
 * if a seed is http), wherever redirects lead; a client certificate is shown only there.
 */
#ifndef CRAWL_REQUEST_HEADERS_H
#define CRAWL_REQUEST_HEADERS_H

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "crawl/secrets.h"
#include "crawl/settings.h"
#include "net/cookie.h"
#include "net/net.h"

struct request_header {
	const char *origin; /* "https://host:443"; "": of the seeds; NULL: all */
	struct net_header field;
};

VEC_DECLARE(request_header_vec, struct request_header);
VEC_DECLARE(net_header_vec, struct net_header);

/* Fields are its own. */
struct request_headers {
	struct text_list origins; /* of the seeds */
	struct request_header_vec fields;
	struct jar jar;
	bool has_cert;
	bool has_cookies;
	bool has_given;                /* the user has given cookies */
	struct net_header_vec scratch; /* of the last request */
	struct buf cookie;
};

/*
 * secrets may be NULL: none. All strings are borrowed or in the arena. 0, ERR_NOMEM, ERR_USAGE.
 * request_headers_release is for any state, and a zeroed one.
 */
int request_headers_init(struct request_headers *o, const struct crawl_settings *settings,
	const struct crawl_secrets *secrets, int64_t now, struct arena *arena,
	struct err *err) SP_MUST_CHECK;
void request_headers_release(struct request_headers *o);

/* How a request differs from the others. Zeroed: not at all. */
struct request_look {
	bool fresh_jar;              /* without cookies */
	bool as_browser;             /* as somebody who comes from a search engine (cloaking.h) */
	const char *etag, *modified; /* conditions: If-None-Match, If-Modified-Since; NULL: none */
};

/* Sets the request's fields, valid until the next call, and whether it shows the certificate. now:
 * seconds since 1970. 0, ERR_NOMEM. */
int request_headers_apply(struct request_headers *o, const struct request_look *look,
	struct net_request *request, int64_t now, struct err *err) SP_MUST_CHECK;

/* Whether requests may carry cookies that responses have set, or the user has given. */
bool request_headers_has_cookies(const struct request_headers *o);
bool request_headers_has_cookies_for(struct request_headers *o, const struct url *url, int64_t now);

/* Takes the cookies of a response. */
void request_headers_keep_cookies(
	struct request_headers *o, const struct net_fetch *f, int64_t now);

#endif
