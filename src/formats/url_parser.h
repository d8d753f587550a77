/*
 * The basic URL parser, WHATWG URL Standard section 4.4, cut into files by its states. A state is a
 * function that reads on from p->at and returns what the next state returned: the graph of states
 * has no cycles. The serialisation is written as it is read:
 *
 *  (1) p->url->text holds the serialised parts so far, in their order;
 *  (2) while a path is built it is the end of the text, from path.at on, and every one of its
 *      segments stands behind a "/": so "shorten" cuts at the last one;
 *  (3) a "/." that keeps a path from looking like a host is put in when the path is complete.
 */
#ifndef FORMATS_URL_PARSER_H
#define FORMATS_URL_PARSER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include "formats/percent.h"
#include "formats/url.h"
#include "formats/url_encoding.h"

struct url_parser {
	slice in; /* stripped of blanks around it and of tabs and line breaks */
	size_t at;
	struct url *url;
	const struct url *base;        /* or NULL */
	struct url_encoding *encoding; /* of queries; NULL for UTF-8 */
	bool special;                  /* url's scheme is */
	struct err *err;
};

enum { URL_EOF = -1 };

/* The byte that many ahead of the pointer, or URL_EOF. */
static inline int url_peek(const struct url_parser *p, size_t ahead)
{
	return p->at + ahead < p->in.len ? (unsigned char)p->in.ptr[p->at + ahead] : URL_EOF;
}

/* U+002F (/), and U+005C (\) where the scheme is special. */
static inline bool url_is_slash(const struct url_parser *p, int c)
{
	return c == '/' || (c == '\\' && p->special);
}

static inline int url_fail(struct url_parser *p, const char *why)
{
	return err_set(p->err, ERR_SYNTAX, "%s", why);
}

/* Part of the text from at to its end. */
static inline struct url_part url_part_from(const struct url *u, size_t at)
{
	return (struct url_part){(uint32_t)at, (uint32_t)(u->text.len - at)};
}

/* Everything from here up to the path is written: the path begins. */
static inline void url_begin_path(struct url *u)
{
	u->authority_end = (uint32_t)u->text.len;
	u->path.at = (uint32_t)u->text.len;
}

/*
 * Hosts that are IP addresses: WHATWG URL Standard, section 3.5 "Host parsing" (IPv4 and IPv6
 * parser, ends-in-a-number checker) and 3.6 "Host serializing". All are pure; on failure err, which
 * may be NULL, has a sentence.
 */

enum { URL_IPV6_PIECES = 8 };

/* Whether a domain must be an IPv4 address or nothing: its last label is a number. */
bool url_ends_in_number(slice domain);

/* A dot at the end does not count, but for a domain that is nothing else. */
slice url_without_last_dot(slice domain);

/* Dotted, with 1 to 4 decimal, octal (0…) or hexadecimal (0x…) parts. 0 or ERR_SYNTAX. */
int url_ipv4_parse(slice domain, uint32_t *ret_address, struct err *err) SP_MUST_CHECK;

/* What stands between the brackets. 0 or ERR_SYNTAX; ret_pieces is untouched then. */
int url_ipv6_parse(slice text, uint16_t ret_pieces[URL_IPV6_PIECES], struct err *err) SP_MUST_CHECK;

/* Append the one true spelling; IPv6 with its brackets. 0, ERR_LIMIT or ERR_NOMEM. */
int url_ipv4_add(struct buf *out, uint32_t address);
int url_ipv6_add(struct buf *out, const uint16_t pieces[URL_IPV6_PIECES]);

/* "Host parsing" and "host serializing" in one: WHATWG URL Standard, sections 3.5 and 3.6. */

/*
 * Appends the serialised host that input, as it stands in the URL, means; opaque for schemes that
 * are not special. 0, ERR_SYNTAX with a sentence in err, ERR_LIMIT, ERR_NOMEM; what was appended is
 * undefined on failure.
 */
int url_host_parse(struct buf *out, slice input, bool opaque, enum url_host_kind *ret_kind,
	struct err *err) SP_MUST_CHECK;

#endif
