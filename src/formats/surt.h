/*
 * SURT, Sort-friendly URI Reordering Transform, as the Internet Archive's indexes spell it: the
 * canonical form without scheme, the labels of the host from the top down, a ")" behind them:
 *
 *	http://www.Example.org:80/Goo/?b&a	org,example)/goo?a&b
 *	https://example.org:8080/		org,example:8080)/
 *	http://192.0.2.1/			192.0.2.1)/		(octets stay in order)
 *	mailto:a@example.org			mailto:a@example.org	(no host)
 *
 * It orders indexes. Scheme and "www" are gone, so it never says which page a URL is.
 */
#ifndef FORMATS_SURT_H
#define FORMATS_SURT_H

#include "base/api.h"
#include "base/buf.h"
#include "formats/url.h"

/*
 * Appends u's SURT to out, at most URL_CANONICAL_MAX bytes (canonical.h). 0, ERR_LIMIT or
 * ERR_NOMEM; out is as before then.
 */
int url_surt(struct buf *out, const struct url *u) SP_MUST_CHECK;

#endif
