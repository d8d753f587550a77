/*
 * Hosts that are IP addresses: WHATWG URL Standard, section 3.5 "Host parsing" (IPv4 and IPv6
 * parser, ends-in-a-number checker) and 3.6 "Host serializing". All are pure; on failure err, which
 * may be NULL, has a sentence.
 */
#ifndef FORMATS_URL_ADDRESS_H
#define FORMATS_URL_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

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

#endif
