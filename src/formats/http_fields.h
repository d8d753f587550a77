/*
 * Named fields, the form that WARC record headers (ISO 28500 §4) and HTTP heads (RFC 9112 §2.1, §5)
 * share: a first line, then "Name: value" lines, then an empty line. Read as leniently as producers
 * write: lines end in CRLF or LF, a line that begins with a blank continues the one before
 * (obs-fold), blanks around name and value do not count, a line without a colon is counted and left
 * out.
 */
#ifndef FORMATS_HTTP_FIELDS_H
#define FORMATS_HTTP_FIELDS_H

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "base/vec.h"

enum {
	FIELDS_HEAD_MAX = 256 << 10, /* bytes of a head, its empty line included */
	FIELDS_COUNT_MAX = 16384,    /* fields of a head */
};

struct field {
	slice name;
	slice value;
};

VEC_DECLARE(field_vec, struct field);

/* Slices point into the head that was parsed. Zero-initialise; may be used again and again. */
struct fields {
	slice first_line;
	struct field_vec items;
	size_t malformed; /* lines left out */
	size_t surplus;   /* fields beyond the maximum, left out as well */
};

/*
 * Length of the head at the beginning of bytes, its empty line included, or 0 when its end is not
 * there yet. *from is where to look, 0 at first, and is moved on, so that a growing head is looked
 * at once.
 */
size_t fields_find_end(slice bytes, size_t *from);

/*
 * Takes a head apart, up to its empty line or its end. head is borrowed as long as f is in use and
 * changed in place: folds become blanks. 0 or ERR_LIMIT for too many fields; f is empty
 * then.
 */
int fields_parse(struct fields *f, char *head, size_t len) SP_MUST_CHECK;

/* The same with another maximum, beyond which fields are counted as surplus. */
void fields_parse_first(struct fields *f, char *head, size_t len, size_t max);

/* Value of the first field of that name, case ignored; its ptr is NULL when there is none. */
slice fields_get(const struct fields *f, slice name);

void fields_release(struct fields *f);

/* No control characters but tab (RFC 9110, section 5.5), and so no further lines. */
bool fields_is_value(slice s);

/* Without blanks (SP, HT, CR, LF) at either end. */
slice fields_trim(slice s);

/* A media type without its parameters: "text/html" of "text/html; charset=utf-8". */
slice fields_media_type(slice content_type);

/*
 * Secrets are left out of what is archived: the values of some fields of a request's head are
 * replaced, and it is said of which.
 */

#define REDACT_MARK "[redacted]"

/*
 * Appends the head, in which the named fields (lower case; case does not count) read "Name:
 * [redacted]", to out, and the names that were found to found: "cookie, authorization". 0 or as
 * buf_add.
 */
int redact_head(slice head, const slice *names, size_t count, struct buf *out,
	struct buf *found) SP_MUST_CHECK;

#endif
