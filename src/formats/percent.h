/*
 * Percent-encoding: WHATWG URL Standard, section 1.3 "Percent-encoded bytes", with the names of its
 * sets. One table says everything about a byte that the parser asks.
 */
#ifndef FORMATS_PERCENT_H
#define FORMATS_PERCENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/slice.h"

/* Bits of url_byte[]: the sets a byte is in, and what else the parser wants to know of it. */
enum url_set {
	URL_SET_C0_CONTROL = 1 << 0,
	URL_SET_FRAGMENT = 1 << 1,
	URL_SET_QUERY = 1 << 2,
	URL_SET_SPECIAL_QUERY = 1 << 3,
	URL_SET_PATH = 1 << 4,
	URL_SET_USERINFO = 1 << 5,
	URL_SET_ARCHIVE = 1 << 6,        /* what archives' canonical URLs escape: canonical.h */
	URL_FORBIDDEN_HOST = 1 << 7,     /* forbidden host code point */
	URL_FORBIDDEN_DOMAIN = 1 << 8,   /* forbidden domain code point */
	URL_SCHEME = 1 << 9,             /* may stand in a scheme behind its first letter */
	URL_UPPER = 1 << 10,             /* ASCII upper alpha */
	URL_NOT_ASCII = 1 << 11,         /* 0x80 and above */
	URL_ENDS_AUTHORITY = 1 << 12,    /* / ? # */
	URL_ENDS_SPECIAL_AUTH = 1 << 13, /* / ? # \ */
	URL_ALPHA = 1 << 14,
	URL_DIGIT = 1 << 15,
};

extern const uint16_t url_byte[256];

static inline bool url_byte_is(char c, unsigned bits)
{
	return (url_byte[(unsigned char)c] & bits) != 0;
}

/* Whether two strings are equal but for the case of ASCII letters. */
bool url_equal_nocase(slice a, slice b);

/*
 * "UTF-8 percent-encode": appends s, with the bytes of a set escaped; all sets contain everything
 * above ASCII. Broken UTF-8 becomes %EF%BF%BD. 0, ERR_LIMIT or ERR_NOMEM.
 */
int url_percent_encode(struct buf *out, slice s, enum url_set set);

/*
 * Appends s as forms are sent: letters, digits and the bytes of `kept` as they are, blanks as "+",
 * others escaped. 0, ERR_LIMIT or ERR_NOMEM.
 */
int url_form_encode(struct buf *out, slice s, const char *kept);

/* "Percent-decode": appends s with its escapes as bytes. 0, ERR_LIMIT or ERR_NOMEM. */
int url_percent_decode(struct buf *out, slice s);

/* Appends s in ASCII lower case. 0, ERR_LIMIT or ERR_NOMEM. */
int url_add_lower(struct buf *out, slice s);

#endif
