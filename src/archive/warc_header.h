/*
 * The header of a WARC record (ISO 28500:2009 and :2017, versions 0.17 to 1.1): its named fields
 * and what they mean. Read as producers write them: wget's angle brackets around the target URI,
 * folded lines, LF line ends, fields in any order and case (see fields.h).
 */
#ifndef ARCHIVE_WARC_HEADER_H
#define ARCHIVE_WARC_HEADER_H

#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "http/fields.h"

enum warc_type {
	WARC_TYPE_UNKNOWN, /* none given, or one that no standard has */
	WARC_TYPE_WARCINFO,
	WARC_TYPE_RESPONSE,
	WARC_TYPE_RESOURCE,
	WARC_TYPE_REQUEST,
	WARC_TYPE_METADATA,
	WARC_TYPE_REVISIT,
	WARC_TYPE_CONVERSION,
	WARC_TYPE_CONTINUATION,
};

/* "response" and so on; "unknown" for the first. Constant. */
const char *warc_type_name(enum warc_type type);

/* Far beyond what producers write, so that no record is lost for a long list in its header. */
enum {
	WARC_HEAD_MAX = 4 << 20,    /* bytes of a header, its empty line included */
	WARC_FIELDS_MAX = 64 << 10, /* fields of it that are read; further ones are left out */
};

/* Slices point into the head that was parsed. Zero-initialise; may be used again and again. */
struct warc_header {
	struct fields fields;
	unsigned version; /* 100 × major + minor: 17, 18, 100, 101 */
	enum warc_type type;
	bool has_length;
	bool bad_length; /* there is a Content-Length, but it is no number */
	bool has_date;
	uint64_t length;    /* of the block */
	int64_t date;       /* ns since 1970 */
	slice url;          /* WARC-Target-URI; ptr is NULL when there is none */
	slice content_type; /* of the block; the same */
};

/*
 * Reads a head that ends in its empty line. It is borrowed while h is in use, and changed in place.
 * 0, ERR_SYNTAX when it does not begin with "WARC/" and a version, ERR_NOMEM.
 */
int warc_header_parse(struct warc_header *h, char *head, size_t len, struct err *err) SP_MUST_CHECK;

void warc_header_release(struct warc_header *h);

/* Value of a field as it stands, and without angle brackets around it; ptr NULL when missing. */
slice warc_header_get(const struct warc_header *h, slice name);
slice warc_header_uri(const struct warc_header *h, slice name);

/* Whether bytes begin like a record: "WARC/", digit, ".", digit. Eight bytes are enough to tell. */
enum { WARC_MAGIC_SIZE = 8 };
bool warc_header_is_start(slice bytes);

/* The same, and nothing else is on the line. For searching: text about WARC looks like the former.
 */
enum { WARC_VERSION_SIZE = 10 };
bool warc_header_is_version(slice bytes);

/*
 * Appends "name: value" and CRLF; nothing for a value whose ptr is NULL. 0, ERR_SYNTAX for a value
 * with a line break or NUL in it, which would forge a field, or a name that is none, or as buf_add;
 * out may have grown by part of the line.
 */
int warc_header_add(struct buf *out, slice name, slice value) SP_MUST_CHECK;

#endif
