/*
 * Media types (MIME Sniffing, section 4.4), as far as we ask for them: essence and charset.
 */
#ifndef HTTP_MEDIA_TYPE_H
#define HTTP_MEDIA_TYPE_H

#include "base/slice.h"

struct media_type {
	slice essence; /* "text/html", in the case it was written in */
	slice charset; /* the parameter's value; empty for none */
};

/* The parts of a Content-Type header's value, which they borrow. */
struct media_type media_type_parse(slice value);

/* The type that a file's name suggests, "text/html" when it does not; lives for ever. */
slice media_type_of_path(const char *path);

#endif
