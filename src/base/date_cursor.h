/*
 * Cursor functions for readers of dates: each takes what it names off the front of *s, or says no
 * and leaves *s as it was.
 */
#ifndef BASE_DATE_CURSOR_H
#define BASE_DATE_CURSOR_H

#include "base/slice.h"
#include "base/word.h"

/* Any number of blanks, tabs and line ends; false when there is none. */
static inline bool date_take_blanks(slice *s)
{
	size_t n = 0;

	while (n < s->len && s->ptr[n] != '\f' && word_is_space(s->ptr[n]))
		n++;
	*s = slice_sub(*s, n, s->len);
	return n > 0;
}

static inline bool date_next_is(slice s, const char *set)
{
	return s.len > 0 && s.ptr[0] != '\0' && strchr(set, s.ptr[0]);
}

/* One byte of a set. */
static inline bool date_take(slice *s, const char *set)
{
	if (!date_next_is(*s, set))
		return false;
	*s = slice_sub(*s, 1, s->len);
	return true;
}

static inline size_t date_count_digits(slice s)
{
	size_t n = 0;

	while (n < s.len && word_is_digit(s.ptr[n]))
		n++;
	return n;
}

/* At least min and at most max (≤ 9) digits; more of them may follow. */
static inline bool date_take_number(slice *s, size_t min, size_t max, unsigned *ret)
{
	size_t n = date_count_digits(*s);
	unsigned value = 0;

	if (n < min)
		return false;
	if (n > max)
		n = max;
	for (size_t i = 0; i < n; i++)
		value = value * 10 + (unsigned)(s->ptr[i] - '0');
	*s = slice_sub(*s, n, s->len);
	*ret = value;
	return true;
}

/* The letters in front, of which there may be none. */
static inline slice date_take_letters(slice *s)
{
	size_t n = 0;
	slice word;

	while (n < s->len && word_is_alpha(s->ptr[n]))
		n++;
	word = slice_sub(*s, 0, n);
	*s = slice_sub(*s, n, s->len);
	return word;
}

/* The month, from 1, whose English name begins with the first three letters; 0 for none. */
static inline unsigned date_month(slice word)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (unsigned m = 0; word.len >= 3 && m < 12; m++)
		if (strncasecmp(word.ptr, names + 3 * (size_t)m, 3) == 0)
			return m + 1;
	return 0;
}

#endif
