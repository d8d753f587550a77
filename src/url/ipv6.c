/*
 * WHATWG URL Standard, section 3.5: IPv6 parser; section 3.6: IPv6 serializer, compressed piece
 * index.
 */
#include <string.h>

#include "base/word.h"
#include "url/address.h"
#include "url/percent.h"

enum {
	PIECE_DIGITS = 4,
	EMBEDDED_OCTETS = 4, /* an IPv4 address takes the last two pieces */
	NO_COMPRESSION = URL_IPV6_PIECES + 1,
};

struct ipv6_parser {
	slice in;
	size_t at;
	uint16_t pieces[URL_IPV6_PIECES];
	unsigned index;    /* of the piece that comes next */
	unsigned compress; /* index at the "::", or NO_COMPRESSION */
	struct err *err;
};

static int fail(struct ipv6_parser *p, const char *why)
{
	return err_set(p->err, ERR_SYNTAX, "IPv6 address %s", why);
}

/* The byte that many ahead, or NUL at the end (a NUL in the input fails like any other byte). */
static char peek(const struct ipv6_parser *p, size_t ahead)
{
	if (p->at + ahead >= p->in.len)
		return '\0';
	return p->in.ptr[p->at + ahead];
}

static bool at_end(const struct ipv6_parser *p)
{
	return p->at >= p->in.len;
}

/* One decimal octet without leading zeros. */
static int take_octet(struct ipv6_parser *p, unsigned *ret)
{
	unsigned value = 0;
	size_t start = p->at;

	for (; url_byte_is(peek(p, 0), URL_DIGIT); p->at++) {
		if (p->at > start && value == 0)
			return fail(p, "whose IPv4 part has a leading zero");
		value = value * 10 + (unsigned)(peek(p, 0) - '0');
		if (value > UINT8_MAX)
			return fail(p, "whose IPv4 part has an octet over 255");
	}
	if (p->at == start)
		return fail(p, "whose IPv4 part lacks an octet");
	*ret = value;
	return 0;
}

static int take_embedded_ipv4(struct ipv6_parser *p)
{
	unsigned octet = 0;
	int rc;

	if (p->index > URL_IPV6_PIECES - 2)
		return fail(p, "with an IPv4 part and too many pieces");
	for (unsigned i = 0; i < EMBEDDED_OCTETS; i++) {
		if (i > 0) {
			if (peek(p, 0) != '.')
				return fail(p, "whose IPv4 part has too few octets");
			p->at++;
		}
		rc = take_octet(p, &octet);
		if (rc)
			return rc;
		p->pieces[p->index] = (uint16_t)(p->pieces[p->index] << 8 | octet);
		p->index += i % 2;
	}
	return at_end(p) ? 0 : fail(p, "with text behind its IPv4 part");
}

/* One piece, or the IPv4 address at the end; and the colon behind it. */
static int take_piece(struct ipv6_parser *p)
{
	unsigned value = 0;
	size_t start = p->at;
	int digit;

	for (; p->at - start < PIECE_DIGITS && (digit = word_hex(peek(p, 0))) >= 0; p->at++)
		value = value << 4 | (unsigned)digit;
	if (peek(p, 0) == '.') {
		if (p->at == start)
			return fail(p, "with a stray dot");
		p->at = start;
		return take_embedded_ipv4(p);
	}
	p->pieces[p->index++] = (uint16_t)value;
	if (at_end(p))
		return 0;
	if (peek(p, 0) != ':')
		return fail(p, "with a character that does not belong there");
	p->at++;
	return at_end(p) ? fail(p, "that ends in a single colon") : 0;
}

static int take_pieces(struct ipv6_parser *p)
{
	int rc = 0;

	if (peek(p, 0) == ':') {
		if (peek(p, 1) != ':')
			return fail(p, "that begins with a single colon");
		p->at += 2;
		p->compress = ++p->index;
	}
	while (!at_end(p) && rc == 0) {
		if (p->index == URL_IPV6_PIECES)
			return fail(p, "with too many pieces");
		if (peek(p, 0) == ':') {
			if (p->compress != NO_COMPRESSION)
				return fail(p, "with more than one ::");
			p->at++;
			p->compress = ++p->index;
		} else {
			rc = take_piece(p);
		}
	}
	return rc;
}

/* Moves the pieces behind the "::" to the end. */
static void spread(struct ipv6_parser *p)
{
	unsigned moved = p->index - p->compress;
	uint16_t *from = p->pieces + p->compress;
	uint16_t *to = p->pieces + URL_IPV6_PIECES - moved;

	memmove(to, from, moved * sizeof *from);
	for (; from < to; from++)
		*from = 0;
}

int url_ipv6_parse(slice text, uint16_t ret_pieces[URL_IPV6_PIECES], struct err *err)
{
	struct ipv6_parser p = {.in = text, .compress = NO_COMPRESSION, .err = err};
	int rc = take_pieces(&p);

	if (rc)
		return rc;
	if (p.compress != NO_COMPRESSION)
		spread(&p);
	else if (p.index != URL_IPV6_PIECES)
		return fail(&p, "with too few pieces");
	memcpy(ret_pieces, p.pieces, sizeof p.pieces);
	return 0;
}

/* "Compressed piece index": the first longest run of zeros, if longer than one; its length. */
static unsigned find_zeros(const uint16_t pieces[URL_IPV6_PIECES], unsigned *ret_from)
{
	unsigned best = 1, run = 0;

	for (unsigned i = 0; i < URL_IPV6_PIECES; i++) {
		run = pieces[i] == 0 ? run + 1 : 0;
		if (run > best) {
			best = run;
			*ret_from = i + 1 - run;
		}
	}
	return best > 1 ? best : 0;
}

int url_ipv6_add(struct buf *out, const uint16_t pieces[URL_IPV6_PIECES])
{
	unsigned from = 0;
	unsigned zeros = find_zeros(pieces, &from);
	int rc = buf_add_char(out, '[');

	for (unsigned i = 0; i < URL_IPV6_PIECES && rc == 0; i++) {
		if (zeros && i == from) {
			rc = buf_add_str(out, i == 0 ? "::" : ":");
			i += zeros - 1;
		} else {
			rc = buf_printf(out, i + 1 < URL_IPV6_PIECES ? "%x:" : "%x", pieces[i]);
		}
	}
	return rc ? rc : buf_add_char(out, ']');
}
