/*
 * A cookie as a Set-Cookie field says it (RFC 6265, section 5.2), or a line of a cookie file: taken
 * apart, not judged. Who may set what for whom is the jar's business (jar.h).
 */
#ifndef NET_COOKIE_H
#define NET_COOKIE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/slice.h"

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

#endif
