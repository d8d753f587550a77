/*
 * Media types as browsers read them, as far as we ask for them: essence and charset. A value is
 * taken apart after MIME Sniffing, section 4.4; of several values, in one field or more, the one
 * that counts is found after Fetch ("extract a MIME type"). What a body is whose head does not say
 * it, its first bytes show (formats/media_type.h).
 */
#ifndef FORMATS_MEDIA_TYPE_H
#define FORMATS_MEDIA_TYPE_H

#include "base/slice.h"
#include "formats/http_fields.h"

/* What media_type_of_head says of a head that does not tell. */
#define MEDIA_TYPE_UNKNOWN "unknown/unknown"

struct media_type {
	slice essence; /* "text/html", in the case it was written in; empty: no valid type */
	slice charset; /* the parameter's value; empty for none */
};

/* The parts of a Content-Type header's value, which they borrow. */
struct media_type media_type_parse(slice value);

/*
 * The Content-Type that counts, as it was sent; MEDIA_TYPE_UNKNOWN if there is no valid one. With
 * `nosniff` such a body is plain text.
 */
slice media_type_of_head(const struct fields *head);

/* Whether a value names no type, or says that it is not known. */
bool media_type_is_unknown(slice value);

/* The type that a file's name suggests, "text/html" when it does not; lives for ever. */
slice media_type_of_path(const char *path);

/*
 * What a body is whose head does not say it, by its first bytes: "identifying a resource with an
 * unknown MIME type" (MIME Sniffing, section 7.1), as far as we ask: HTML, XML, text, or neither.
 */

enum { SNIFF_MAX = 1445 }; /* bytes that are looked at */

enum sniffed { SNIFFED_HTML, SNIFFED_XML, SNIFFED_TEXT, SNIFFED_BINARY };

enum sniffed sniff(slice start);

#endif
