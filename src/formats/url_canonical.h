/*
 * The archive-canonical form: what the Internet Archive's tools make of a URL before they look it
 * up (webarchive-commons' DefaultIAURLCanonicalizer and its port, the Python package surt). It maps
 * many URLs onto one, so it never says which page a URL is: see url_page for that.
 *
 *  - no fragment, no user name and password, no port that is the scheme's own;
 *  - host without empty labels, dots around it and "www", "www1", … before the first dot;
 *  - path and query with escapes decoded, again and again, until none is left, then blanks,
 *    controls, "#", "%" and all above ASCII escaped once; everything in lower case;
 *  - path without "." and "..", without empty segments and ASP.NET session ids, without a slash at
 *    its end unless that is all;
 *  - query without session ids (jsessionid, phpsessid, sid, aspsessionid…, cfid with cftoken), its
 *    fields sorted; none at all when nothing is left of it.
 *
 * docs/url.md says where the tools disagree and what we do.
 */
#ifndef FORMATS_URL_CANONICAL_H
#define FORMATS_URL_CANONICAL_H

#include "base/api.h"
#include "base/buf.h"
#include "formats/url.h"

/* A buffer of this maximum holds any canonical form or SURT: a "%" may become three bytes. */
enum { URL_CANONICAL_MAX = 3 * URL_MAX + 64 };

/* Append to out. 0, ERR_LIMIT at its maximum, ERR_NOMEM; out is as before then. */
int url_canonical(struct buf *out, const struct url *u) SP_MUST_CHECK;

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

/*
 * Appends u's SURT to out, at most URL_CANONICAL_MAX bytes (canonical.h). 0, ERR_LIMIT or
 * ERR_NOMEM; out is as before then.
 */
int url_surt(struct buf *out, const struct url *u) SP_MUST_CHECK;

#endif
