/*
 * Registrable domains: a public suffix and one label more, by the Public Suffix List that libpsl
 * was built with, private section included. docs/url.md says how old Debian's is.
 */
#ifndef FORMATS_URL_DOMAIN_H
#define FORMATS_URL_DOMAIN_H

#include "base/slice.h"
#include "formats/url.h"

/* Longest name that DNS knows, with a dot at its end; longer ones have no registrable domain. */
enum { URL_DOMAIN_MAX = 254 };

/*
 * The registrable domain of a host name in ASCII and lower case, as in a parsed URL: a part of it,
 * a dot at the end not counted. Empty when there is none: an address, a public suffix, one label.
 */
slice url_registrable_domain(slice host);

/* The same of a URL's host, which must be a domain. */
slice url_domain(const struct url *u);

/*
 * Whose a URL is, as far as its text tells: the registrable domain of its host, or host and port
 * where there is none. A part of the URL, which is serialised.
 */
slice url_owner(slice url);

/* Whether host is the domain or ends in it behind a dot. */
bool url_host_within(slice host, slice domain);

#endif
