/*
 * Legacy encodings of queries: a browser writes the query of a link, where its scheme is special,
 * in the encoding of the document that the link stands in (WHATWG URL Standard, "percent-encode
 * after encoding"; HTML Standard, "encoding-parsing a URL"). Only who asks for the same bytes gets
 * the same page.
 */
#ifndef FORMATS_URL_ENCODING_H
#define FORMATS_URL_ENCODING_H

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "formats/percent.h"

/* Opaque; of one thread at a time. */
struct url_encoding;

/*
 * Opens an encoding by its name in the Encoding Standard ("windows-1252", "gbk", …). *ret is NULL
 * for UTF-8, UTF-16 and "replacement", whose output encoding is UTF-8: pass it on all the same. 0,
 * ERR_UNSUPPORTED when ICU does not know it, ERR_NOMEM. The caller closes it.
 */
int url_encoding_open(const char *name, struct url_encoding **ret, struct err *err) SP_MUST_CHECK;

/* NULL is fine. */
void url_encoding_close(struct url_encoding *e);

/*
 * "Percent-encode after encoding": appends s, which is UTF-8. What the encoding lacks becomes a
 * decimal character reference with its signs escaped. 0, ERR_LIMIT or ERR_NOMEM.
 */
int url_encode_query(struct buf *out, slice s, struct url_encoding *e, enum url_set set);

#endif
