/*
 * What the requests of a capture carry besides the usual fields: extra ones, passwords, cookies;
 * each only to those it is for. Passwords and fields that may be keys go to the origins of the
 * seeds alone (and from http to https of the same host), wherever redirects lead.
 */
#ifndef CRAWL_OUTFIT_H
#define CRAWL_OUTFIT_H

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"
#include "crawl/secrets.h"
#include "crawl/settings.h"
#include "net/jar.h"
#include "net/net.h"

struct outfit_field {
	const char *origin; /* "https://host:443"; "": of the seeds; NULL: everybody */
	struct net_header field;
};

VEC_DECLARE(outfit_fields, struct outfit_field);
VEC_DECLARE(outfit_headers, struct net_header);

/* Fields are the outfit's own. */
struct outfit {
	struct text_list origins; /* of the seeds */
	struct outfit_fields fields;
	struct jar jar;
	bool has_cookies;
	struct outfit_headers scratch; /* of the last request */
	struct buf cookie;
};

/*
 * secrets may be NULL: none. All strings are borrowed or in the arena. 0, ERR_NOMEM, ERR_USAGE.
 * outfit_release is for any state, and a zeroed one.
 */
int outfit_init(struct outfit *o, const struct crawl_settings *settings,
	const struct crawl_secrets *secrets, int64_t now, struct arena *arena,
	struct err *err) SP_MUST_CHECK;
void outfit_release(struct outfit *o);

/* Sets the request's fields, valid until the next call. now: seconds since 1970. 0, ERR_NOMEM. */
int outfit_dress(
	struct outfit *o, struct net_request *request, int64_t now, struct err *err) SP_MUST_CHECK;

/* Takes the cookies of a response: 0 or ERR_NOMEM. */
int outfit_take(
	struct outfit *o, const struct net_fetch *f, int64_t now, struct err *err) SP_MUST_CHECK;

#endif
