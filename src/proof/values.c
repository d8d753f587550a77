#include "proof/values.h"

#include <math.h>
#include <stdint.h>

#include "base/word.h"

enum {
	VALUE_MAX = 200000, /* bytes of a value that may be a token */
	HEX_SURE = 16,      /* hex digits that are no word without a decimal digit among them */
	DIGITS_RANDOM = 9,  /* digits alone that are no count */
	LONG = 16,          /* of two draws that long one may look like words */
	SHORT = 12,         /* below, draws must differ in more of their characters */
	WORD_MIN = 4,
	WORD_MAX = 64,
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

bool value_is_listed(slice word, const char *list)
{
	size_t len = strlen(list);

	for (size_t i = 0; word.len && i + word.len + 1 < len; i++)
		if (list[i] == '|' && list[i + 1 + word.len] == '|' &&
			word_is(word, (slice){list + i + 1, word.len}))
			return true;
	return false;
}

bool value_is_word(slice s)
{
	return s.len <= WORD_MAX && (s.len >= WORD_MIN || value_is_digits(s)) && is_of(s, "_-.:") &&
	       value_has_digit(s);
}

static char class_of(char c)
{
	if (word_is_digit(c))
		return 'd';
	return c >= 'a' ? 'l' : 'u';
}

bool value_is_mixed(slice s)
{
	size_t digits = 0, upper = 0, all = 0, changes = 0, most = 4;
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
	/* names have capitals or few digits; without both, long draws may have fewer changes */
	if (all >= 20 && (upper == 0 || upper + digits == all))
		most = all >= 24 ? 8 : 6;
	if (digits)
		return changes >= (all < 8 ? 2U : 3U) && changes * most >= all;
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

/* How many characters it is made of, up to five. */
static size_t count_kinds(slice s)
{
	uint64_t seen[4] = {0};
	size_t count = 0;

	for (size_t i = 0; i < s.len && count < 5; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		count += !(seen[c >> 6] >> (c & 63) & 1);
		seen[c >> 6] |= (uint64_t)1 << (c & 63);
	}
	return count;
}

/* ff0000, 00000000-0000-…: too few characters for a draw. */
static bool has_variety(slice s)
{
	return count_kinds(s) >= (s.len < 8 ? 4 : 5);
}

/* 0x…: what a program computes with, such as the address of a contract. */
static bool is_address(slice s)
{
	return slice_starts_with(s, SLICE("0x")) && value_is_hex(slice_sub(s, 2, s.len));
}

static bool is_random(slice s, size_t min)
{
	if (s.len < min || s.len > VALUE_MAX || !has_variety(s) || is_address(s))
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

/* Whether at most one in `one_in` characters behind the common start agrees. */
static bool are_apart(slice a, slice b, size_t one_in)
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
	return ahead * one_in <= left && back * one_in <= left;
}

bool value_is_fresh(slice a, slice b)
{
	return are_apart(a, b, a.len < SHORT || b.len < SHORT ? 3 : 2);
}

bool value_are_apart(slice a, slice b)
{
	return are_apart(a, b, 2);
}

static bool are_alike_long(slice a, slice b)
{
	size_t longer = a.len > b.len ? a.len : b.len, shorter = a.len + b.len - longer;

	return longer - shorter <= (longer / 8 > 2 ? longer / 8 : 2) || shorter > 60;
}

/* It may be a draw: a digit, or a capital behind a small letter. Long ones have that. */
static bool may_be_random(slice s)
{
	bool is_camel = false;

	for (size_t i = 1; i < s.len; i++)
		is_camel |= class_of(s.ptr[i]) == 'u' && class_of(s.ptr[i - 1]) == 'l';
	return is_of(s, "_-+/=.~:|*!%,") && !is_address(s) && (is_camel || value_has_digit(s));
}

/* Of two long ones of the same length, one is surely a draw: by chance the other looks like words.
 */
static bool is_one_random(slice a, slice b, size_t min)
{
	return a.len == b.len && a.len >= LONG && a.len >= min && has_variety(a) &&
	       has_variety(b) &&
	       ((value_has_digit(a) && is_random(a, min) && may_be_random(b)) ||
		       (value_has_digit(b) && is_random(b, min) && may_be_random(a)));
}

/* Eight hex digits or more: one in 40 draws of eight has no letter, some have no digit. */
static bool are_random_hex(slice a, slice b, size_t min)
{
	return a.len == b.len && a.len >= 8 && a.len >= min && value_is_hex(a) && value_is_hex(b) &&
	       count_kinds(a) >= 3 && count_kinds(b) >= 3 &&
	       (is_random(a, min) || is_random(b, min)) &&
	       !(value_is_digits(a) && value_is_digits(b)) && are_apart(a, b, 2);
}

bool value_are_draws(slice a, slice b, size_t min)
{
	return are_random_hex(a, b, min) ||
	       (((is_random(a, min) && is_random(b, min)) || is_one_random(a, b, min)) &&
		       are_alike_long(a, b) && value_is_fresh(a, b));
}

size_t value_equal_start(slice a, slice b)
{
	size_t i = 0;

	while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i])
		i++;
	while (i && word_is_alnum(a.ptr[i - 1]))
		i--;
	return i;
}

/* Digits, small letters, and capitals that are more than the first letter of a word or two. */
static bool has_all_classes(slice s)
{
	size_t upper = 0, lower = 0;

	for (size_t i = 0; i < s.len; i++) {
		upper += word_is_alpha(s.ptr[i]) && class_of(s.ptr[i]) == 'u';
		lower += word_is_alpha(s.ptr[i]) && class_of(s.ptr[i]) == 'l';
	}
	return upper >= 3 && lower > 0 && value_has_digit(s);
}

/*
 * Letters alone: draws have capitals where words have none, at the end or two between small
 * letters. MyCatIsBig is no draw.
 */
static bool are_drawn_letters(slice s)
{
	size_t changes = 0;
	bool is_odd = class_of(s.ptr[s.len - 1]) == 'u';

	for (size_t i = 1; i < s.len; i++) {
		changes += class_of(s.ptr[i]) != class_of(s.ptr[i - 1]);
		is_odd |= i >= 3 && class_of(s.ptr[i]) == 'l' && class_of(s.ptr[i - 1]) == 'u' &&
			  class_of(s.ptr[i - 2]) == 'u' && class_of(s.ptr[i - 3]) == 'l';
	}
	return (is_odd && s.len >= 8 && is_of(s, "") && changes >= 4) ||
	       ((is_odd || s.len >= 16) && s.len >= 10 && value_is_mixed(s));
}

bool value_is_secret(slice s)
{
	if (s.len < 5 || s.len > VALUE_MAX || !is_of(s, "_-+/=.~:|*!%,;$@") || is_address(s) ||
		s.ptr[0] == '=')
		return false;
	while (s.ptr[s.len - 1] == '=')
		s.len--;
	if (value_is_digits(s))
		return s.len >= 8;
	if (value_has_digit(s))
		return value_is_mixed(s) || is_hex_in_groups(s) ||
		       (value_is_hex(s) && s.len >= 8) || (s.len >= 10 && has_all_classes(s));
	return are_drawn_letters(s);
}

/* The same for secrets, which have a name that says so. */
static bool is_one_secret(slice a, slice b)
{
	if (a.len != b.len)
		return false;
	if (a.len >= 8 && value_is_hex(a) && value_is_hex(b))
		return value_has_digit(a) || value_has_digit(b);
	return a.len >= SHORT &&
	       ((value_has_digit(a) && value_is_secret(a) && may_be_random(b)) ||
		       (value_has_digit(b) && value_is_secret(b) && may_be_random(a)));
}

/* MediaWiki ends its tokens so, to catch programs that spoil backslashes. */
static slice without_mark(slice s)
{
	return slice_ends_with(s, SLICE("+\\")) ? slice_sub(s, 0, s.len - 2) : s;
}

/* 1794947376,ac4493d3…: when it was made stands before it. */
static size_t stamp_length(slice s)
{
	size_t i = 0;

	while (i < s.len && word_is_digit(s.ptr[i]))
		i++;
	return (i == 10 || i == 13) && i + 1 < s.len && strchr(",-:|.", s.ptr[i]) ? i + 1 : 0;
}

/* Takes off what is no draw: "form-" of Drupal's, MediaWiki's mark, the time of both. */
static void leave_draws(slice *a, slice *b)
{
	size_t start = value_equal_start(*a, *b);

	*a = without_mark(slice_sub(*a, start, a->len));
	*b = without_mark(slice_sub(*b, start, b->len));
	start = stamp_length(*a);
	if (start && start == stamp_length(*b)) {
		*a = slice_sub(*a, start, a->len);
		*b = slice_sub(*b, start, b->len);
	}
}

bool value_are_draws_at_end(slice a, slice b, size_t min)
{
	leave_draws(&a, &b);
	return value_are_draws(a, b, min);
}

bool value_are_secrets(slice a, slice b)
{
	leave_draws(&a, &b);
	/* Two draws of ten hex digits often have four in common; the name vouches for the rest. */
	return ((value_is_secret(a) && value_is_secret(b)) || is_one_secret(a, b)) &&
	       are_alike_long(a, b) && are_apart(a, b, 2);
}

/* Letters alone, and capitals stand as in words: one before small ones, or all are. userPass */
static bool may_be_words(slice s)
{
	size_t capitals = 0, pairs = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (word_is_digit(s.ptr[i]))
			return false;
		capitals += class_of(s.ptr[i]) == 'u';
		pairs += class_of(s.ptr[i]) == 'u' &&
			 (i + 1 == s.len || class_of(s.ptr[i + 1]) == 'u');
	}
	return pairs == 0 || capitals == s.len;
}

bool value_are_drawn_apart(slice a, slice b)
{
	return are_apart(a, b, 2) && !(may_be_words(a) && may_be_words(b));
}

bool value_are_embed_secrets(slice a, slice b)
{
	return a.len == 10 && b.len == 10 && is_of(a, "") && is_of(b, "") && are_apart(a, b, 2);
}

bool value_is_measure(slice s)
{
	size_t i = 0, digits = 0, points = 0;

	if (i < s.len && s.ptr[i] == '-')
		i++;
	for (; i < s.len && (word_is_digit(s.ptr[i]) || s.ptr[i] == '.'); i++) {
		digits += word_is_digit(s.ptr[i]);
		points += s.ptr[i] == '.';
	}
	if (!digits || points > 1) /* 1.4.2 is a version */
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

enum { ZONE_STEP = 900, ZONE_MIN = -12 * 3600, ZONE_MAX = 14 * 3600, SKEW = 300, LOCAL_SKEW = 120 };

/* Whether two days are those of the looks in one time zone. */
static bool are_days_of(const struct value_looks *looks, double a, double b)
{
	for (int zone = ZONE_MIN; zone <= ZONE_MAX; zone += ZONE_STEP)
		if (floor((looks->a + zone) / 86400) * 86400 == a &&
			floor((looks->b + zone) / 86400) * 86400 == b)
			return true;
	return false;
}

/* How far a time is from its look; for local times, in the zone in which it is least. */
static double distance(const struct value_time *t, double look)
{
	double d = t->is_clock ? remainder(t->at - look, 86400) : t->at - look;

	if (t->is_number || !(t->is_local || t->is_clock))
		return d;
	return d < ZONE_MIN - SKEW || d > ZONE_MAX + SKEW ? d : remainder(d, ZONE_STEP);
}

static bool is_now(const struct value_time *t, double look)
{
	double skew = t->is_local || t->is_clock ? LOCAL_SKEW : SKEW;

	/* without seconds, the minute that has begun */
	return fabs(distance(t, look) + (t->has_seconds ? 0 : 30)) <= skew;
}

bool value_times_fit(const struct value_looks *looks, unsigned uses, slice a, slice b)
{
	double slack = value_tolerance(looks), between = looks->b - looks->a, moved, off;
	struct value_time ta, tb;

	if (!value_looks_known(looks) || !value_time(a, &ta) || !value_time(b, &tb))
		return false;
	if (ta.is_day != tb.is_day || ta.is_clock != tb.is_clock || ta.is_number != tb.is_number ||
		ta.is_local != tb.is_local || ta.has_seconds != tb.has_seconds ||
		(ta.is_number && a.len != b.len && !memchr(a.ptr, '.', a.len)))
		return false;
	if (ta.is_day)
		return uses & TIME_DAY && are_days_of(looks, ta.at, tb.at);
	if (ta.has_seconds && ta.is_round && tb.is_round)
		return false;
	moved = tb.at - ta.at;
	off = ta.is_clock ? remainder(moved - between, 86400) : moved - between;
	if (!ta.has_seconds)
		slack += 60;
	if (fabs(off) <= slack && (ta.is_clock || moved * between >= 0)) {
		double ahead = ta.at - looks->a;

		if (uses & TIME_NOW && is_now(&ta, looks->a) && is_now(&tb, looks->b))
			return true;
		if (uses & TIME_END && !ta.is_clock && ahead > 0 &&
			fabs(remainder(ahead, 60)) <= 10 &&
			fabs(remainder(tb.at - looks->b, 60)) <= 10)
			return true;
	}
	return uses & TIME_RENEWED && !ta.is_clock &&
	       (is_renewed(ta.at, looks->a, tb.at, looks->b, slack) ||
		       is_renewed(tb.at, looks->b, ta.at, looks->a, slack));
}

/* 65af1c2e7d3b4[.12345678]: seconds and microseconds in hex digits. */
static bool read_uniqid(slice s, double *ret)
{
	*ret = 0;
	if (s.len < 13 || !value_is_hex(slice_sub(s, 0, 13)) ||
		(s.len > 13 && (s.ptr[13] != '.' || !value_is_digits(slice_sub(s, 14, s.len)))))
		return false;
	for (size_t i = 0; i < 8; i++)
		*ret = *ret * 16 + word_hex(s.ptr[i]);
	return true;
}

bool value_are_counts_of_now(const struct value_looks *looks, slice a, slice b)
{
	struct value_time x, y;
	double at_a, at_b;

	if (!value_looks_known(looks))
		return false;
	if (read_uniqid(a, &at_a) && read_uniqid(b, &at_b) && fabs(at_a - looks->a) <= SKEW &&
		fabs(at_b - looks->b) <= SKEW &&
		fabs(at_b - at_a - (looks->b - looks->a)) <= value_tolerance(looks))
		return true;
	return value_time(a, &x) && value_time(b, &y) && x.is_number && y.is_number &&
	       value_times_fit(looks, TIME_NOW, a, b);
}
