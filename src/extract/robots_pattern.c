#include "extract/robots_pattern.h"

#include <stddef.h>
#include <stdint.h>

#include "base/word.h"

enum octet_class {
	OCTET_OTHER, /* must be escaped */
	OCTET_UNRESERVED,
	OCTET_RESERVED, /* differs from its escape */
};

/* RFC 3986 §2.2 and §2.3. */
/* clang-format off */
static const unsigned char CLASSES[256] = {
	['a'] = 1, ['b'] = 1, ['c'] = 1, ['d'] = 1, ['e'] = 1, ['f'] = 1, ['g'] = 1, ['h'] = 1,
	['i'] = 1, ['j'] = 1, ['k'] = 1, ['l'] = 1, ['m'] = 1, ['n'] = 1, ['o'] = 1, ['p'] = 1,
	['q'] = 1, ['r'] = 1, ['s'] = 1, ['t'] = 1, ['u'] = 1, ['v'] = 1, ['w'] = 1, ['x'] = 1,
	['y'] = 1, ['z'] = 1,
	['A'] = 1, ['B'] = 1, ['C'] = 1, ['D'] = 1, ['E'] = 1, ['F'] = 1, ['G'] = 1, ['H'] = 1,
	['I'] = 1, ['J'] = 1, ['K'] = 1, ['L'] = 1, ['M'] = 1, ['N'] = 1, ['O'] = 1, ['P'] = 1,
	['Q'] = 1, ['R'] = 1, ['S'] = 1, ['T'] = 1, ['U'] = 1, ['V'] = 1, ['W'] = 1, ['X'] = 1,
	['Y'] = 1, ['Z'] = 1,
	['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1,
	['8'] = 1, ['9'] = 1, ['-'] = 1, ['.'] = 1, ['_'] = 1, ['~'] = 1,
	[':'] = 2, ['/'] = 2, ['?'] = 2, ['#'] = 2, ['['] = 2, [']'] = 2, ['@'] = 2, ['!'] = 2,
	['$'] = 2, ['&'] = 2, ['\''] = 2, ['('] = 2, [')'] = 2, ['*'] = 2, ['+'] = 2, [','] = 2,
	[';'] = 2, ['='] = 2,
};
/* clang-format on */

static enum octet_class class_of(unsigned char c)
{
	return (enum octet_class)CLASSES[c];
}

/* The octet that an escape at this place stands for, or -1 where there is none. */
static int escape_at(slice s, size_t at)
{
	int high, low;

	if (s.len - at < 3 || s.ptr[at] != '%')
		return -1;
	high = word_hex(s.ptr[at + 1]);
	low = word_hex(s.ptr[at + 2]);
	return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static int add_escape(struct buf *out, unsigned char c)
{
	static const char digits[] = "0123456789ABCDEF";

	return buf_add(out, (slice){(char[]){'%', digits[c >> 4], digits[c & 15]}, 3});
}

/* Whether the octet is its own normal form; stars says what a raw "*" is. */
static bool is_normal(unsigned char c, bool stars)
{
	return class_of(c) != OCTET_OTHER && c != '$' && (c != '*' || stars);
}

static size_t normal_run(slice s, size_t at, bool stars)
{
	size_t end = at;

	while (end < s.len && is_normal((unsigned char)s.ptr[end], stars))
		end++;
	return end;
}

/* An escape is undone or kept with upper-case digits, another octet is escaped. */
static int normalise_octet(struct buf *out, slice s, size_t *at)
{
	int escaped = escape_at(s, *at);
	unsigned char c = (unsigned char)(escaped >= 0 ? escaped : s.ptr[*at]);

	*at += escaped >= 0 ? 3 : 1;
	if (escaped >= 0 && class_of(c) == OCTET_UNRESERVED)
		return buf_add_char(out, (char)c);
	return add_escape(out, c);
}

static int normalise(struct buf *out, slice s, bool stars)
{
	int rc = 0;

	for (size_t at = 0; at < s.len && rc == 0;) {
		size_t end = normal_run(s, at, stars);

		rc = buf_add(out, slice_sub(s, at, end));
		at = end;
		if (rc == 0 && at < s.len)
			rc = normalise_octet(out, s, &at);
	}
	return rc;
}

int robots_normalise_rule(struct buf *out, slice rule)
{
	return normalise(out, rule, true);
}

int robots_normalise_path(struct buf *out, slice path)
{
	return normalise(out, path, false);
}

/* Cuts the octets up to the next "*", or to the end, off the pattern; whether there was a star. */
static bool take_piece(slice *pattern, slice *ret_piece)
{
	size_t len = pattern->len;

	*ret_piece = slice_take(pattern, '*');
	return ret_piece->len < len;
}

/*
 * Each piece between two stars is taken at its first place behind the one before: if a match
 * exists, there is one with these places, since a later choice leaves less room for the rest.
 */
bool robots_match(slice pattern, bool anchored, slice path, uint64_t *work)
{
	slice piece;
	bool more = take_piece(&pattern, &piece);

	if (!slice_starts_with(path, piece))
		return false;
	path = slice_sub(path, piece.len, path.len);
	if (!more)
		return !anchored || path.len == 0;
	for (;;) {
		const char *at;

		more = take_piece(&pattern, &piece);
		++*work;
		if (!more && anchored)
			return slice_ends_with(path, piece);
		at = piece.len ? memmem(path.ptr, path.len, piece.ptr, piece.len) : path.ptr;
		*work += at ? (size_t)(at - path.ptr) + piece.len : path.len;
		if (piece.len && !at)
			return false;
		if (!more)
			return true;
		path = slice_sub(path, (size_t)(at - path.ptr) + piece.len, path.len);
	}
}
