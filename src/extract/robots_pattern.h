/*
 * The normal form in which rules and paths are compared (RFC 9309 §2.2.2), and the comparison.
 */
#ifndef EXTRACT_ROBOTS_PATTERN_H
#define EXTRACT_ROBOTS_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

/*
 * Appends the normal form, at most three times as long: escapes of unreserved octets are undone,
 * other escapes get upper-case digits; octets that are neither unreserved nor reserved in RFC 3986,
 * and a "%" that starts no escape, are escaped. "$" and, in a path, "*" are escaped too: so "%24"
 * and "%2A" in a rule mean these characters themselves, and a "*" in a normalised rule is always a
 * wildcard. 0, ERR_LIMIT or ERR_NOMEM as for buf_add.
 */
int robots_normalise_rule(struct buf *out, slice rule) SP_MUST_CHECK;
int robots_normalise_path(struct buf *out, slice path) SP_MUST_CHECK;

/*
 * Whether the pattern, in which "*" stands for any octets, matches the path from its start: all of
 * it when anchored. Both are in normal form. Linear in path and pattern: no backtracking. Adds to
 * *work the pieces that were compared and the octets that were searched for them.
 */
bool robots_match(slice pattern, bool anchored, slice path, uint64_t *work);

#endif
