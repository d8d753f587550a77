/*
 * The shape of a URL: what it has in common with the others that the same program of the site
 * makes. Digits, dates and random tokens of the path are masked, of the query the names of the
 * fields are kept and sorted:
 *
 *	http://x.org/article/12345.html            http://x.org/article/#.html
 *	http://x.org/calendar/2031-05-12?view=day  http://x.org/calendar/#?view
 *	http://x.org/a?b=1&a=2                     http://x.org/a?a&b
 *
 * An endless part of a site has endlessly many URLs of few shapes. Nothing is decided here: a
 * normal site of many articles looks the same. Pure; reads foreign URLs in linear time (but for the
 * sorting of at most TRAP_FIELDS_MAX fields).
 */
#ifndef FRONTIER_TRAP_SHAPE_H
#define FRONTIER_TRAP_SHAPE_H

#include "base/api.h"
#include "base/buf.h"
#include "url/url.h"

enum {
	TRAP_FIELDS_MAX = 64,    /* of a query; a shape says no more of others */
	TRAP_REPEATS = 3,        /* times in a row that segments must come to be suspicious */
	TRAP_OCCURRENCES = 4,    /* times that one must come anywhere */
	TRAP_PERIOD_MAX = 8,     /* segments that may repeat themselves together */
	TRAP_SEGMENTS_MAX = 256, /* of a path that are looked at */
};

enum trap_kind {
	TRAP_PLAIN,    /* a name that somebody gave: nothing is masked */
	TRAP_SEGMENTS, /* segments of the path repeat themselves: /a/b/a/b/a/b; text is the host */
	TRAP_CALENDAR, /* has dates */
	TRAP_COUNTER,  /* has other numbers, or tokens */
	TRAP_PARAMETERS, /* has a query */
	TRAP_SESSION,    /* has a session id; text is the URL without it */
	TRAP_KIND_COUNT,
};

struct trap_shape {
	enum trap_kind kind;
	slice text;     /* in the buffer */
	size_t section; /* its first bytes: scheme, host, port, and the first directory */
	size_t path;    /* those up to the query */
};

/* Makes the shape of an http or https URL, in place of what out holds: 0, ERR_LIMIT, ERR_NOMEM. */
int trap_shape(struct buf *out, const struct url *u, struct trap_shape *ret) SP_MUST_CHECK;

#endif
