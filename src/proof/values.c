#include "proof/values.h"

#include <math.h>
#include <stdint.h>

#include "base/word.h"

enum {
	VALUE_MAX = 200000, /* bytes of a value that may be a token */
	HEX_SURE = 16,      /* hex digits that are no word without a decimal digit among them */
	DIGITS_RANDOM = 9,  /* digits alone that are no count */
	SHORT = 12,         /* below, draws must differ in more of their characters */
};

bool value_is_digits(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!word_is_digit(s.ptr[i]))
			return false;
	return s.len > 0;
}

bool value_is_hex(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (word_hex(s.ptr[i]) < 0)
			return false;
	return s.len > 0;
}

bool value_has_digit(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (word_is_digit(s.ptr[i]))
			return true;
	return false;
}

static bool is_of(slice s, const char *others)
{
	for (size_t i = 0; i < s.len; i++)
		if (!word_is_alnum(s.ptr[i]) && (!s.ptr[i] || !strchr(others, s.ptr[i])))
			return false;
	return s.len > 0;
}

static char class_of(char c)
{
	if (word_is_digit(c))
		return 'd';
	return c >= 'a' ? 'l' : 'u';
}

bool value_is_mixed(slice s)
{
	size_t digits = 0, upper = 0, all = 0, changes = 0;
	char last = 0;

	for (size_t i = 0; i < s.len; i++) {
		char class;

		if (!word_is_alnum(s.ptr[i]))
			continue;
		class = class_of(s.ptr[i]);
		digits += class == 'd';
		upper += class == 'u';
		changes += last && last != class;
		last = class;
		all++;
	}
	if (all < 6)
		return false;
	if (digits == all)
		return all >= DIGITS_RANDOM;
	if (digits)
		return changes >= (all < 8 ? 2U : 3U) && changes * 4 >= all;
	/* Letters alone: camelCase has one capital in three or fewer. */
	return upper * 20 >= all * 7 && upper * 20 <= all * 13 && changes >= 4 &&
	       changes * 3 >= all;
}

/* Hex digits in groups, 12 of them or more, letters among them: a UUID, 83e48360-9663. */
static bool is_hex_in_groups(slice s)
{
	size_t hex = 0, letters = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '-')
			continue;
		if (word_hex(s.ptr[i]) < 0)
			return false;
		hex++;
		letters += !word_is_digit(s.ptr[i]);
	}
	return hex >= 12 && letters > 0 && value_has_digit(s);
}

/* ff0000, 00000000-0000-…: too few characters for a draw. */
static bool has_variety(slice s)
{
	uint64_t seen[4] = {0};
	size_t count = 0, wanted = s.len < 8 ? 4 : 5;

	for (size_t i = 0; i < s.len && count < wanted; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		count += !(seen[c >> 6] >> (c & 63) & 1);
		seen[c >> 6] |= (uint64_t)1 << (c & 63);
	}
	return count >= wanted;
}

static bool is_random(slice s, size_t min)
{
	if (s.len < min || s.len > VALUE_MAX || !has_variety(s))
		return false;
	if (is_hex_in_groups(s))
		return true;
	if (!is_of(s, "_-+/=.~:|*!%,"))
		return false;
	if (value_is_digits(s))
		return s.len >= DIGITS_RANDOM;
	if (value_is_hex(s))
		return value_has_digit(s) || s.len >= HEX_SURE;
	return value_is_mixed(s);
}

bool value_is_fresh(slice a, slice b)
{
	size_t shorter = a.len < b.len ? a.len : b.len, from = 0, left, ahead = 0, back = 0;

	while (from < shorter && a.ptr[from] == b.ptr[from])
		from++;
	if (from * 3 > shorter * (shorter < SHORT ? 1 : 2))
		return false;
	left = shorter - from;
	if (left < 3)
		return false;
	for (size_t i = 0; i < left; i++) {
		ahead += a.ptr[from + i] == b.ptr[from + i];
		back += a.ptr[a.len - 1 - i] == b.ptr[b.len - 1 - i];
	}
	return ahead * (shorter < SHORT ? 3 : 2) <= left &&
	       back * (shorter < SHORT ? 3 : 2) <= left;
}

static bool are_alike_long(slice a, slice b)
{
	size_t longer = a.len > b.len ? a.len : b.len, shorter = a.len + b.len - longer;

	return longer - shorter <= (longer / 8 > 2 ? longer / 8 : 2) || shorter > 60;
}

bool value_are_draws(slice a, slice b, size_t min)
{
	return is_random(a, min) && is_random(b, min) && are_alike_long(a, b) &&
	       value_is_fresh(a, b);
}

bool value_are_draws_at_end(slice a, slice b, size_t min)
{
	size_t i = 0;

	while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i])
		i++;
	while (i && word_is_alnum(a.ptr[i - 1]))
		i--;
	return value_are_draws(slice_sub(a, i, a.len), slice_sub(b, i, b.len), min);
}

/* Digits, small letters, and capitals that are more than the first letter of a word or two. */
static bool has_all_classes(slice s)
{
	size_t upper = 0, lower = 0;

	for (size_t i = 0; i < s.len; i++) {
		upper += class_of(s.ptr[i]) == 'u';
		lower += class_of(s.ptr[i]) == 'l';
	}
	return upper >= 3 && lower > 0 && value_has_digit(s);
}

static bool is_secret(slice s)
{
	if (s.len < 5 || s.len > VALUE_MAX || !is_of(s, "_-+/=.~:|*!%,;$@"))
		return false;
	if (value_is_digits(s))
		return s.len >= 8;
	if (value_has_digit(s))
		return s.len >= 16 || value_is_mixed(s) || (value_is_hex(s) && s.len >= 8) ||
		       (s.len >= 10 && has_all_classes(s));
	return s.len >= 20 || (s.len >= 10 && value_is_mixed(s));
}

/* MediaWiki ends its tokens so, to catch programs that spoil backslashes. */
static slice without_mark(slice s)
{
	return slice_ends_with(s, SLICE("+\\")) ? slice_sub(s, 0, s.len - 2) : s;
}

bool value_are_secrets(slice a, slice b)
{
	a = without_mark(a);
	b = without_mark(b);
	return is_secret(a) && is_secret(b) && are_alike_long(a, b) && value_is_fresh(a, b);
}

bool value_is_measure(slice s)
{
	size_t i = 0, digits = 0;

	if (i < s.len && s.ptr[i] == '-')
		i++;
	for (; i < s.len && (word_is_digit(s.ptr[i]) || s.ptr[i] == '.'); i++)
		digits += word_is_digit(s.ptr[i]);
	if (!digits)
		return false;
	if (i + 1 < s.len && (s.ptr[i] == 'e' || s.ptr[i] == 'E')) {
		i++;
		if (s.ptr[i] == '-' || s.ptr[i] == '+')
			i++;
		while (i < s.len && word_is_digit(s.ptr[i]))
			i++;
	}
	s = word_trim(slice_sub(s, i, s.len));
	return s.len == 0 || slice_eq(s, SLICE("ms")) || slice_eq(s, SLICE("s"));
}

double value_tolerance(const struct value_looks *looks)
{
	double gap = fabs(looks->a - looks->b) / 8;

	return gap < 10 ? 10 : gap > 7200 ? 7200 : gap;
}

/* Whether the earlier look saw what was past, and the later one what came between the two. */
static bool is_renewed(double seen, double look, double later_seen, double later_look, double slack)
{
	return later_look >= look && seen <= look + slack && later_seen >= look - slack &&
	       later_seen <= later_look + slack && later_seen >= seen;
}

bool value_times_fit(const struct value_looks *looks, slice a, slice b)
{
	double slack = value_tolerance(looks), between = looks->b - looks->a, moved;
	struct value_time ta, tb;

	if (!value_looks_known(looks) || !value_time(a, &ta) || !value_time(b, &tb))
		return false;
	if (ta.is_day != tb.is_day || ta.is_clock != tb.is_clock || ta.is_number != tb.is_number ||
		(ta.is_number && a.len != b.len && !memchr(a.ptr, '.', a.len)))
		return false;
	moved = tb.at - ta.at;
	if (ta.is_clock) {
		double rest = fabs(remainder(moved - between, 86400));

		return rest <= slack + 60;
	}
	if (ta.is_day) /* the day of the look, or its neighbour in another time zone */
		return fabs(ta.at + 43200 - looks->a) <= 1.2 * 86400 &&
		       fabs(tb.at + 43200 - looks->b) <= 1.2 * 86400;
	if (fabs(moved - between) <= slack && moved * between >= 0)
		return true;
	return is_renewed(ta.at, looks->a, tb.at, looks->b, slack) ||
	       is_renewed(tb.at, looks->b, ta.at, looks->a, slack);
}
