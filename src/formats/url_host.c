/* WHATWG URL Standard, section 3.5: host parser, opaque-host parser. */
#include "formats/url_parser.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/uidna.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/format.h"
#include "base/slice.h"
#include "base/word.h"
#include "formats/percent.h"

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

	if (p->index > URL_IPV6_PIECES - 2)
		return fail(p, "with an IPv4 part and too many pieces");
	for (unsigned i = 0; i < EMBEDDED_OCTETS; i++) {
		if (i > 0) {
			if (peek(p, 0) != '.')
				return fail(p, "whose IPv4 part has too few octets");
			p->at++;
		}
		TRY(take_octet(p, &octet));
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

	TRY(take_pieces(&p));
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

	buf_add_char(out, '[');
	for (unsigned i = 0; i < URL_IPV6_PIECES; i++) {
		if (zeros && i == from) {
			buf_add_str(out, i == 0 ? "::" : ":");
			i += zeros - 1;
		} else {
			buf_printf(out, i + 1 < URL_IPV6_PIECES ? "%x:" : "%x", pieces[i]);
		}
	}
	return buf_add_char(out, ']');
}

enum { PARTS_MAX = 4 };

static const uint64_t TOO_LARGE = UINT64_C(1) << 32; /* any number that does not fit becomes this */

/* "IPv4 number parser" */
static bool parse_number(slice s, uint64_t *ret)
{
	uint64_t value = 0;
	unsigned radix = 10;

	if (s.len == 0)
		return false;
	if (s.len >= 2 && s.ptr[0] == '0') {
		bool hex = (s.ptr[1] | 0x20) == 'x';

		radix = hex ? 16 : 8;
		s = slice_sub(s, hex ? 2 : 1, s.len);
	}
	for (size_t i = 0; i < s.len; i++) {
		int digit = word_hex(s.ptr[i]);

		if (digit < 0 || (unsigned)digit >= radix)
			return false;
		value = value * radix + (unsigned)digit;
		if (value > TOO_LARGE)
			value = TOO_LARGE;
	}
	*ret = value;
	return true;
}

slice url_without_last_dot(slice domain)
{
	bool dot = domain.len > 1 && domain.ptr[domain.len - 1] == '.';

	return slice_sub(domain, 0, domain.len - dot);
}

bool url_ends_in_number(slice domain)
{
	slice s = url_without_last_dot(domain);
	size_t from = s.len;
	bool digits;
	uint64_t value;

	while (from > 0 && s.ptr[from - 1] != '.')
		from--;
	s = slice_sub(s, from, s.len);
	if (s.len == 0 || !url_byte_is(s.ptr[0], URL_DIGIT))
		return false;
	digits = true;
	for (size_t i = 0; i < s.len && digits; i++)
		digits = url_byte_is(s.ptr[i], URL_DIGIT);
	return digits || parse_number(s, &value);
}

/* Splits at the dots. The count, PARTS_MAX + 1 when there are more. */
static size_t split(slice s, slice parts[PARTS_MAX])
{
	size_t count = 0, from = 0;

	for (size_t i = 0; i <= s.len; i++) {
		if (i < s.len && s.ptr[i] != '.')
			continue;
		if (count == PARTS_MAX)
			return PARTS_MAX + 1;
		parts[count++] = slice_sub(s, from, i);
		from = i + 1;
	}
	return count;
}

int url_ipv4_parse(slice domain, uint32_t *ret_address, struct err *err)
{
	slice parts[PARTS_MAX];
	size_t count = split(url_without_last_dot(domain), parts);
	uint64_t address = 0, value = 0;

	if (count > PARTS_MAX)
		return err_set(err, ERR_SYNTAX, "IPv4 address with more than four parts");
	for (size_t i = 0; i < count; i++) {
		if (!parse_number(parts[i], &value))
			return err_set(
				err, ERR_SYNTAX, "IPv4 address with a part that is no number");
		if (i + 1 < count) {
			if (value > UINT8_MAX)
				return err_set(
					err, ERR_SYNTAX, "IPv4 address with a part over 255");
			address |= value << (8 * (PARTS_MAX - 1 - i));
		}
	}
	if (value >= UINT64_C(1) << (8 * (PARTS_MAX + 1 - count)))
		return err_set(err, ERR_SYNTAX, "IPv4 address whose last part is too large");
	*ret_address = (uint32_t)(address | value);
	return 0;
}

int url_ipv4_add(struct buf *out, uint32_t address)
{
	char text[PARTS_MAX * FORMAT_U64_SIZE];
	size_t len = 0;

	for (unsigned i = 0; i < PARTS_MAX; i++) {
		len += format_u64(address >> (8 * (PARTS_MAX - 1 - i)) & UINT8_MAX, text + len);
		text[len++] = '.';
	}
	return buf_add(out, (slice){text, len - 1});
}

/*
 * The domain parser of the WHATWG URL Standard, section 3.3, without beStrict: UTS #46 ToASCII with
 * CheckBidi and CheckJoiners, nontransitional, without CheckHyphens, UseSTD3ASCIIRules and
 * VerifyDnsLength. A name that is ASCII is only put in lower case, whatever its "xn--" labels hold:
 * so the standard has it since June 2026 (whatwg/url#914), and so ICU is needed for few names.
 */

enum {
	/* Four letters of UTF-8 may become some 20 of an ASCII label; a guess that mostly holds. */
	FIRST_ROOM = 256,
	/* CheckHyphens and VerifyDnsLength are off: what they find is no failure. */
	IGNORED = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
		  UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
		  UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4,
};

static const char *explain(uint32_t errors)
{
	static const struct {
		uint32_t bits;
		const char *text;
	} rows[] = {
		{UIDNA_ERROR_DISALLOWED, "with a character that is not allowed"},
		{UIDNA_ERROR_PUNYCODE | UIDNA_ERROR_INVALID_ACE_LABEL, "with a broken xn-- label"},
		{UIDNA_ERROR_LEADING_COMBINING_MARK, "with a label that begins with a mark"},
		{UIDNA_ERROR_LABEL_HAS_DOT, "with a dot inside an xn-- label"},
		{UIDNA_ERROR_BIDI, "that mixes directions of writing"},
		{UIDNA_ERROR_CONTEXTJ, "with a misplaced joiner"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (errors & rows[i].bits)
			return rows[i].text;
	return "that is not valid";
}

/* One try with the room there is; *ret_need is the length of the whole result. */
static int convert(
	const UIDNA *idna, struct buf *out, slice domain, size_t *ret_need, struct err *err)
{
	UIDNAInfo info = UIDNA_INFO_INITIALIZER;
	UErrorCode code = U_ZERO_ERROR;
	size_t room = out->cap - out->len;
	int32_t need = uidna_nameToASCII_UTF8(idna, domain.ptr, (int32_t)domain.len,
		out->ptr + out->len, (int32_t)room, &info, &code);

	*ret_need = (size_t)need;
	if (code == U_BUFFER_OVERFLOW_ERROR)
		return 0;
	if (code == U_MEMORY_ALLOCATION_ERROR)
		return ERR_NOMEM;
	if (U_FAILURE(code))
		return err_set(err, ERR_SYNTAX, "domain name: %s", u_errorName(code));
	info.errors &= ~(uint32_t)IGNORED;
	return info.errors ? err_set(err, ERR_SYNTAX, "domain name %s", explain(info.errors)) : 0;
}

static int convert_with_room(const UIDNA *idna, struct buf *out, slice domain, struct err *err)
{
	size_t need = FIRST_ROOM;
	int rc;

	do {
		TRY(buf_reserve(out, need));
		rc = convert(idna, out, domain, &need, err);
	} while (rc == 0 && need >= out->cap - out->len);
	if (rc)
		return rc;
	out->len += need;
	out->ptr[out->len] = '\0';
	return 0;
}

/* Opening costs about as much as a malloc: ICU shares its tables between all that are open. */
static int unicode_to_ascii(struct buf *out, slice domain, struct err *err)
{
	UErrorCode code = U_ZERO_ERROR;
	UIDNA *idna = uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ |
					      UIDNA_NONTRANSITIONAL_TO_ASCII |
					      UIDNA_NONTRANSITIONAL_TO_UNICODE,
		&code);
	int rc;

	if (U_FAILURE(code))
		return ERR_NOMEM;
	rc = convert_with_room(idna, out, domain, err);
	uidna_close(idna);
	return rc;
}

/* All bits of url_byte[] that occur. */
static unsigned look_at(slice s)
{
	unsigned seen = 0;

	for (size_t i = 0; i < s.len; i++)
		seen |= url_byte[(unsigned char)s.ptr[i]];
	return seen;
}

/*
 * Appends the ASCII form of a domain, which is UTF-8 with all escapes decoded (broken UTF-8 is
 * refused, as U+FFFD is). 0, ERR_SYNTAX when it is no domain, ERR_LIMIT, ERR_NOMEM; what was
 * appended is undefined on failure.
 */
static SP_MUST_CHECK int url_domain_to_ascii(struct buf *out, slice domain, struct err *err)
{
	unsigned seen = look_at(domain);
	size_t start = out->len;
	int rc;

	if (seen & URL_NOT_ASCII) {
		rc = unicode_to_ascii(out, domain, err);
		seen = rc ? 0 : look_at(slice_sub(buf_slice(out), start, out->len));
	} else {
		rc = url_add_lower(out, domain);
	}
	if (rc)
		return rc;
	if (out->len == start)
		return err_set(err, ERR_SYNTAX, "domain name that is empty");
	if (seen & URL_FORBIDDEN_DOMAIN)
		return err_set(err, ERR_SYNTAX, "host with a forbidden character");
	return 0;
}

static int parse_ipv6(struct buf *out, slice input, struct err *err)
{
	uint16_t pieces[URL_IPV6_PIECES] = {0};

	if (input.ptr[input.len - 1] != ']')
		return err_set(err, ERR_SYNTAX, "IPv6 address without its closing bracket");
	TRY(url_ipv6_parse(slice_sub(input, 1, input.len - 1), pieces, err));
	return url_ipv6_add(out, pieces);
}

/* "Opaque-host parser" */
static int parse_opaque(struct buf *out, slice input, struct err *err)
{
	for (size_t i = 0; i < input.len; i++)
		if (url_byte_is(input.ptr[i], URL_FORBIDDEN_HOST))
			return err_set(err, ERR_SYNTAX, "host with a forbidden character");
	return url_percent_encode(out, input, URL_SET_C0_CONTROL);
}

/* Domains with escapes are rare: only they are decoded first. */
static int parse_domain(struct buf *out, slice input, struct err *err)
{
	struct buf decoded;
	int rc;

	if (!memchr(input.ptr, '%', input.len))
		return url_domain_to_ascii(out, input, err);
	buf_init(&decoded, URL_MAX);
	rc = url_percent_decode(&decoded, input);
	if (rc == 0)
		rc = url_domain_to_ascii(out, buf_slice(&decoded), err);
	buf_release(&decoded);
	return rc;
}

/* Puts the address in place of the domain that begins at start. */
static int domain_to_ipv4(struct buf *out, size_t start, struct err *err)
{
	uint32_t address = 0;

	TRY(url_ipv4_parse(slice_sub(buf_slice(out), start, out->len), &address, err));
	buf_truncate(out, start);
	return url_ipv4_add(out, address);
}

int url_host_parse(
	struct buf *out, slice input, bool opaque, enum url_host_kind *ret_kind, struct err *err)
{
	size_t start = out->len;

	if (input.len > 0 && input.ptr[0] == '[') {
		*ret_kind = URL_HOST_IPV6;
		return parse_ipv6(out, input, err);
	}
	if (opaque) {
		*ret_kind = input.len ? URL_HOST_OPAQUE : URL_HOST_EMPTY;
		return parse_opaque(out, input, err);
	}
	TRY(parse_domain(out, input, err));
	if (url_ends_in_number(slice_sub(buf_slice(out), start, out->len))) {
		*ret_kind = URL_HOST_IPV4;
		return domain_to_ipv4(out, start, err);
	}
	*ret_kind = URL_HOST_DOMAIN;
	return 0;
}
