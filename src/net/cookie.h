/* Cookies: as servers set them, and jars of them. */
#ifndef NET_COOKIE_H
#define NET_COOKIE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/url.h"

/* ---- one cookie ---- */

/*
 * A cookie as a Set-Cookie field says it (RFC 6265, section 5.2), or a line of a cookie file: taken
 * apart, not judged. Who may set what for whom is the jar's business.
 */

#define COOKIE_FOREVER INT64_MAX

/* Slices are parts of what was read. */
struct cookie {
	slice name, value;
	slice domain;    /* without the dot before it; empty: none was named */
	slice path;      /* begins with "/"; empty: none was named */
	int64_t expires; /* seconds since 1970, or COOKIE_FOREVER: as old as the capture */
	bool secure;
	bool for_subdomains; /* of a file's line; a Set-Cookie says so by naming a domain */
};

/* The value of a Set-Cookie field: 0 or ERR_SYNTAX for what is to be ignored. */
int cookie_parse(slice text, int64_t now, struct cookie *ret) SP_MUST_CHECK;

/*
 * A line of a cookie file, as browsers and curl write it: seven fields with tabs between them. 0,
 * ERR_END for a comment or an empty line, ERR_SYNTAX.
 */
int cookie_parse_line(slice line, struct cookie *ret) SP_MUST_CHECK;

/* A date as cookies have them (section 5.1.1), in seconds since 1970: 0 or ERR_SYNTAX. */
int cookie_parse_date(slice text, int64_t *ret) SP_MUST_CHECK;

/* ---- jars ---- */

/*
 * The cookies of a capture (RFC 6265, section 5): in memory, for one thread at a time. Bounded,
 * since servers fill it: the oldest go when there are too many, Secure ones last. What came over
 * http neither replaces nor hides a Secure cookie (RFC 6265bis). A jar is no part of a net; who
 * sends a request asks the jar for the Cookie field, and gives it the response's head:
 *
 *	rc = jar_cookies(jar, &url, now, &field);	// "a=1; b=2", or nothing
 *	rc = jar_take(jar, &url, head, now);		// all of its Set-Cookie fields
 */

enum {
	JAR_COOKIE_MAX = 4096, /* bytes of name and value; longer ones are not taken */
	JAR_PATH_MAX = 1024,   /* and of a path */
	JAR_DOMAIN_COUNT = 50, /* cookies of one domain */
	JAR_COUNT = 500,       /* in all */
	JAR_TEXT_MAX = 256 << 10,
	JAR_FIELD_MAX = 8190,    /* bytes of a Cookie field: servers do not take more */
	JAR_FILE_MAX = 1 << 20,  /* bytes of a cookie file */
	JAR_TAKEN_AT_ONCE = 100, /* Set-Cookie fields of one response */
};

struct jar_cookie {
	char *text; /* name, value, domain, path, one behind the other; owned */
	uint32_t name, value, domain, path; /* their lengths */
	int64_t expires;
	uint64_t number; /* in the order of creation */
	bool secure, host_only;
};

VEC_DECLARE(jar_cookies_vec, struct jar_cookie);

/* Zero-initialise. Fields are the jar's own. */
struct jar {
	struct jar_cookies_vec cookies;
	size_t bytes; /* of all texts */
	uint64_t next;
	bool is_closed; /* takes no cookies of new names from responses */
};

void jar_release(struct jar *jar);

/*
 * Appends the value of the Cookie field for a request, nothing when there are none. now: seconds
 * since 1970. 0 or as buf_add.
 */
int jar_cookies(struct jar *jar, const struct url *url, int64_t now, struct buf *out) SP_MUST_CHECK;

/* Whether a head has something for a jar. */
bool jar_is_set_in(slice head);

/* Takes what a response to that URL sets; what the RFC has ignored is. 0 or ERR_NOMEM. */
int jar_take(struct jar *jar, const struct url *url, slice head, int64_t now) SP_MUST_CHECK;

/* Adds the cookies of a file's text: 0, ERR_NOMEM, ERR_SYNTAX with the line, ERR_LIMIT. */
int jar_read(struct jar *jar, slice text, int64_t now, struct err *err) SP_MUST_CHECK;

#endif
