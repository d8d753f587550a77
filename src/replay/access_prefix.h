/*
 * What stands before the verb of an access rule, as people write it, becomes the prefix of index
 * keys that is meant. Keys are canonical: lower case, without scheme and "www", host reversed. A
 * prefix that no key can have would protect nothing, so it is refused.
 *
 *	*					everything
 *	org,example  org,example,		a domain, as bytes of keys
 *	org,example)/Private  http://(org,example,)/a	a SURT, of other tools, too
 *	http://Example.org/a  example.org/a*	a URL: all that begins so
 *	*.example.org				a domain: two prefixes
 */
#ifndef REPLAY_ACCESS_PREFIX_H
#define REPLAY_ACCESS_PREFIX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

enum { ACCESS_PREFIXES_MAX = 2 };

/*
 * Fills prefixes (initialised) and says how many there are. strict: no more than what is written
 * may be meant (of a rule that allows), else no less. 0, ERR_SYNTAX with a sentence, ERR_NOMEM.
 */
int access_prefix(slice text, bool strict, struct buf prefixes[ACCESS_PREFIXES_MAX],
	size_t *ret_count, struct err *err) SP_MUST_CHECK;

#endif
