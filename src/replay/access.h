/*
 * Rules that say what may be shown: lines of
 *
 *	SURT-PREFIX allow
 *	SURT-PREFIX block
 *	SURT-PREFIX embargo DURATION
 *
 * A prefix, as people write it, is made canonical, as the keys of the index are (lower case,
 * without scheme and "www", host reversed), and compared with them byte by byte:
 *
 *	*					everything
 *	org,example  org,example,		a domain, as bytes of keys
 *	org,example)/Private  http://(org,example,)/a	a SURT, of other tools, too
 *	http://Example.org/a  example.org/a*	a URL: all that begins so
 *	example.org				a host, on every port
 *	*.example.org				a domain, and every port
 *
 * The longest one wins. What no rule names is allowed. An embargo hides mementos that are younger
 * than its duration ("30d"). Empty lines and those that begin with "#" are left out.
 */
#ifndef REPLAY_ACCESS_H
#define REPLAY_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"

enum {
	ACCESS_FILE_MAX = 64 << 20,
	ACCESS_RULES_MAX = 1 << 20,
};

struct access; /* opaque; constant once it is read, for any thread */

/* Reads the text of such a file. 0, ERR_SYNTAX with the number of the line, ERR_LIMIT, ERR_NOMEM.
 */
int access_parse(slice text, struct access **ret, struct err *err) SP_MUST_CHECK;

/* The same for a file: also ERR_NOTFOUND, ERR_IO; err names it. */
int access_read(const char *path, struct access **ret, struct err *err) SP_MUST_CHECK;
void access_free(struct access *a); /* NULL is fine */

/* Whether a memento of that key and time (ns) may be shown now. NULL allows everything. */
bool access_allows(const struct access *a, slice key, int64_t time, int64_t now);

/* Whether all mementos of the key are blocked, whatever their time. */
bool access_blocks(const struct access *a, slice key);

#endif
