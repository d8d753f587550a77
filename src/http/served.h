/*
 * What the head of a response says of how old its content is and where it comes from: validators
 * (RFC 9110 §8.8), Age (RFC 9111 §5.1) and the caches it came through (Via, RFC 9110 §7.6.3;
 * Cache-Status, RFC 9211; X-Cache and CF-Cache-Status, which have no specification). Nothing of it
 * is proven: it is what the server says.
 */
#ifndef HTTP_SERVED_H
#define HTTP_SERVED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "http/fields.h"

enum {
	SERVED_ETAG_MAX = 512,    /* bytes; longer ones are not looked at */
	SERVED_CACHES_SIZE = 200, /* of the text, with its NUL; what is longer is cut off */
};

struct served {
	int64_t modified; /* Last-Modified, ns since 1970; 0: none that can be read */
	slice etag;       /* with quotes and W/; borrowed; ptr NULL for none */
	bool has_age;
	unsigned age; /* seconds; the largest if there are several */
	/* "via: 1.1 varnish; x-cache: HIT"; printable ASCII, "" for none. */
	char caches[SERVED_CACHES_SIZE];
};

/* now, ns since 1970: for dates with a year of two digits. */
void served_read(const struct fields *head, int64_t now, struct served *ret);

#endif
