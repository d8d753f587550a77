/* "Host parsing" and "host serializing" in one: WHATWG URL Standard, sections 3.5 and 3.6. */
#ifndef FORMATS_URL_HOST_H
#define FORMATS_URL_HOST_H

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "formats/url.h"

/*
 * Appends the serialised host that input, as it stands in the URL, means; opaque for schemes that
 * are not special. 0, ERR_SYNTAX with a sentence in err, ERR_LIMIT, ERR_NOMEM; what was appended is
 * undefined on failure.
 */
int url_host_parse(struct buf *out, slice input, bool opaque, enum url_host_kind *ret_kind,
	struct err *err) SP_MUST_CHECK;

#endif
