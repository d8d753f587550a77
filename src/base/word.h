/*
 * Small readers of words, as the HTML standard splits attribute values. ASCII, whatever the locale.
 */
#ifndef BASE_WORD_H
#define BASE_WORD_H

#include <stdbool.h>
#include <strings.h>

#include "base/slice.h"

/* ASCII whitespace of the Infra standard: tab, LF, FF, CR, blank. */
static inline bool word_is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r';
}

static inline bool word_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool word_is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool word_is_alnum(char c)
{
	return word_is_digit(c) || word_is_alpha(c);
}

/* Value of a hexadecimal digit, or -1. */
static inline int word_hex(char c)
{
	if (word_is_digit(c))
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline char word_lower(char c)
{
	if (c >= 'A' && c <= 'Z')
		c = (char)(c + ('a' - 'A'));
	return c;
}

/* Most words that are compared differ in their first letter: no call for these. */
static inline bool word_same(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (word_lower(a[i]) != word_lower(b[i]))
			return false;
	return true;
}

/* Equal but for the case of ASCII letters. */
static inline bool word_is(slice s, slice word)
{
	return s.len == word.len && word_same(s.ptr, word.ptr, s.len);
}

static inline bool word_starts(slice s, slice word)
{
	return s.len >= word.len && word_same(s.ptr, word.ptr, word.len);
}

static inline bool word_ends(slice s, slice word)
{
	return s.len >= word.len && word_is(slice_sub(s, s.len - word.len, s.len), word);
}

/* Without white space at both ends. */
static inline slice word_trim(slice s)
{
	if (!s.ptr)
		return (slice){0};
	while (s.len && word_is_space(s.ptr[0]))
		s = slice_sub(s, 1, s.len);
	while (s.len && word_is_space(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

/* Takes the next word, up to white space or the byte `separator`, off *s; false when none is left.
 */
static inline bool word_next(slice *s, char separator, slice *ret_word)
{
	size_t from = 0, to;

	while (from < s->len && (word_is_space(s->ptr[from]) || s->ptr[from] == separator))
		from++;
	to = from;
	while (to < s->len && !word_is_space(s->ptr[to]) && s->ptr[to] != separator)
		to++;
	*ret_word = slice_sub(*s, from, to);
	*s = slice_sub(*s, to, s->len);
	return to > from;
}

#endif
