/*
 * Secrets are left out of what is archived: the values of some fields of a request's head are
 * replaced, and it is said of which.
 */
#ifndef HTTP_REDACT_H
#define HTTP_REDACT_H

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

#define REDACT_MARK "[redacted]"

/*
 * Appends the head, in which the named fields (lower case; case does not count) read "Name:
 * [redacted]", to out, and the names that were found to found: "cookie, authorization". 0 or as
 * buf_add.
 */
int redact_head(slice head, const slice *names, size_t count, struct buf *out,
	struct buf *found) SP_MUST_CHECK;

#endif
