/*
 * Times as machines write them: counts of seconds since 1970 and of parts of them, ISO 8601, the
 * forms of HTTP, mail, ctime, JavaScript and of forums. One reader of words and numbers for all:
 * what names a day, a month, a year, a time of day or a zone is taken in any order that people use.
 */
#include <stdint.h>

#include "base/calendar.h"
#include "base/word.h"
#include "proof/values.h"

enum { TIME_TEXT_MAX = 80, YEAR_MIN = 1990, YEAR_MAX = 2060 };

struct reading {
	slice rest;
	unsigned year, month, day;
	unsigned hour, minute, second;
	int zone; /* minutes east */
	bool has_clock, has_zone, is_pm, is_am;
};

static bool read_number(slice s, size_t *at, size_t max, unsigned *ret)
{
	size_t from = *at;
	unsigned n = 0;

	while (*at < s.len && *at - from < max && word_is_digit(s.ptr[*at]))
		n = n * 10 + (unsigned)(s.ptr[(*at)++] - '0');
	*ret = n;
	return *at > from;
}

/* Seconds, milliseconds, microseconds, nanoseconds since 1970, or 100 ns since the year 1. */
static bool read_count(slice s, double *ret)
{
	static const double UNIT[20] = {[10] = 1, [13] = 1e3, [16] = 1e6, [18] = 1e7, [19] = 1e9};
	size_t digits = 0;
	double n = 0;

	while (digits < s.len && digits < 20 && word_is_digit(s.ptr[digits]))
		n = n * 10 + (s.ptr[digits++] - '0');
	if (digits >= 20 || UNIT[digits] < 1)
		return false;
	n /= UNIT[digits];
	if (digits == 18)
		n -= 62135596800.0;
	if (digits < s.len) {
		if (s.ptr[digits] != '.' || digits > 13 ||
			!value_is_digits(slice_sub(s, digits + 1, s.len)))
			return false;
	}
	*ret = n;
	return n > 9e8 && n < 2.2e9;
}

static unsigned month_of(slice word)
{
	static const char NAMES[12][10] = {"january", "february", "march", "april", "may", "june",
		"july", "august", "september", "october", "november", "december"};

	for (unsigned i = 0; i < 12; i++) {
		slice name = slice_str(NAMES[i]);

		if (word_is(word, name) || word_is(word, slice_sub(name, 0, 3)) ||
			(i == 8 && word_is(word, SLICE("sept"))))
			return i + 1;
	}
	return 0;
}

static bool is_weekday(slice word)
{
	static const char NAMES[7][10] = {
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};

	for (unsigned i = 0; i < 7; i++) {
		slice name = slice_str(NAMES[i]);

		if (word_is(word, name) || word_is(word, slice_sub(name, 0, 3)))
			return true;
	}
	return word_is(word, SLICE("tues")) || word_is(word, SLICE("thurs"));
}

static bool take_word(struct reading *r)
{
	size_t to = 0;
	slice word;

	while (to < r->rest.len && word_is_alpha(r->rest.ptr[to]))
		to++;
	word = slice_sub(r->rest, 0, to);
	r->rest = slice_sub(r->rest, to, r->rest.len);
	if (month_of(word) && !r->month) {
		r->month = month_of(word);
		return true;
	}
	if (word_is(word, SLICE("am")) || word_is(word, SLICE("pm"))) {
		r->is_am = word_lower(word.ptr[0]) == 'a';
		r->is_pm = !r->is_am;
		return r->has_clock;
	}
	if (word_is(word, SLICE("t")) || is_weekday(word) || word_is(word, SLICE("at")))
		return true;
	if (r->has_clock && !r->has_zone && to >= 1 && to <= 4 &&
		(to >= 2 || word_is(word, SLICE("z")))) {
		r->has_zone = word_is(word, SLICE("z"));
		for (size_t i = 0; i < to; i++)
			if (word.ptr[i] > 'Z' && to > 1)
				return false;
		return true;
	}
	return false;
}

/* 20:29[:36[.123]] at the front of the rest, its hour read already. */
static bool take_clock(struct reading *r, unsigned hour, size_t at)
{
	if (r->has_clock)
		return false;
	r->has_clock = true;
	r->hour = hour;
	at++;
	if (!read_number(r->rest, &at, 2, &r->minute))
		return false;
	if (at < r->rest.len && r->rest.ptr[at] == ':') {
		at++;
		if (!read_number(r->rest, &at, 2, &r->second))
			return false;
		if (at + 1 < r->rest.len && (r->rest.ptr[at] == '.' || r->rest.ptr[at] == ',') &&
			word_is_digit(r->rest.ptr[at + 1])) {
			at++;
			while (at < r->rest.len && word_is_digit(r->rest.ptr[at]))
				at++;
		}
	}
	r->rest = slice_sub(r->rest, at, r->rest.len);
	return true;
}

static bool take_zone(struct reading *r)
{
	size_t at = 1;
	unsigned hours, minutes = 0;
	int sign = r->rest.ptr[0] == '-' ? -1 : 1;

	if (!r->has_clock || r->has_zone || !read_number(r->rest, &at, 2, &hours) || at != 3)
		return false;
	if (at < r->rest.len && r->rest.ptr[at] == ':')
		at++;
	if (at < r->rest.len && word_is_digit(r->rest.ptr[at]) &&
		!read_number(r->rest, &at, 2, &minutes))
		return false;
	r->has_zone = true;
	r->zone = sign * (int)(hours * 60 + minutes);
	r->rest = slice_sub(r->rest, at, r->rest.len);
	return true;
}

/* 2026-11-17, 2026/11/17, 20261117, and 20261117202936. */
static bool take_year_first(struct reading *r, size_t digits)
{
	size_t at = 0;
	char c;

	(void)read_number(r->rest, &at, 4, &r->year);
	if (digits == 4) {
		c = (char)(at < r->rest.len ? r->rest.ptr[at] : 0);
		if ((c == '-' || c == '/' || c == '.') && at + 1 < r->rest.len && !r->month) {
			at++;
			if (!read_number(r->rest, &at, 2, &r->month) || at >= r->rest.len ||
				r->rest.ptr[at] != c)
				return false;
			at++;
			if (!read_number(r->rest, &at, 2, &r->day))
				return false;
		}
	} else {
		(void)read_number(r->rest, &at, 2, &r->month);
		(void)read_number(r->rest, &at, 2, &r->day);
		if (digits >= 12) {
			(void)read_number(r->rest, &at, 2, &r->hour);
			(void)read_number(r->rest, &at, 2, &r->minute);
			r->has_clock = true;
		}
		if (digits == 14)
			(void)read_number(r->rest, &at, 2, &r->second);
	}
	r->rest = slice_sub(r->rest, at, r->rest.len);
	return true;
}

static bool take_digits(struct reading *r)
{
	size_t digits = 0, at = 0;
	unsigned n;

	while (digits < r->rest.len && word_is_digit(r->rest.ptr[digits]))
		digits++;
	if (digits <= 2) {
		(void)read_number(r->rest, &at, 2, &n);
		if (at < r->rest.len && r->rest.ptr[at] == ':')
			return take_clock(r, n, at);
		if (r->day)
			return false;
		r->day = n;
		r->rest = slice_sub(r->rest, at, r->rest.len);
		if (r->rest.len >= 2 && word_is_alpha(r->rest.ptr[0]) &&
			(word_starts(r->rest, SLICE("st")) || word_starts(r->rest, SLICE("nd")) ||
				word_starts(r->rest, SLICE("rd")) ||
				word_starts(r->rest, SLICE("th"))))
			r->rest = slice_sub(r->rest, 2, r->rest.len);
		return n > 0;
	}
	if (r->year || (digits != 4 && digits != 8 && digits != 12 && digits != 14) ||
		(digits > 4 && r->month))
		return false;
	return take_year_first(r, digits);
}

static bool read_parts(struct reading *r)
{
	while (r->rest.len) {
		char c = r->rest.ptr[0];
		bool ok;

		if (c == '(' && r->has_zone) /* (Coordinated Universal Time) */
			return memchr(r->rest.ptr, ')', r->rest.len) ==
			       r->rest.ptr + r->rest.len - 1;
		if (word_is_digit(c))
			ok = take_digits(r);
		else if (word_is_alpha(c))
			ok = take_word(r);
		else if ((c == '+' || c == '-') && r->has_clock)
			ok = take_zone(r);
		else {
			ok = c == ' ' || c == ',' || (c == '-' && (r->day || r->month)) ||
			     c == '\n';
			r->rest = slice_sub(r->rest, 1, r->rest.len);
		}
		if (!ok)
			return false;
	}
	return true;
}

bool value_time(slice s, struct value_time *ret_time)
{
	struct reading r = {.rest = word_trim(s)};
	int64_t seconds;

	*ret_time = (struct value_time){0};
	s = r.rest;
	if (s.len < 5 || s.len > TIME_TEXT_MAX)
		return false;
	if (read_count(s, &ret_time->at)) {
		ret_time->is_number = true;
		return true;
	}
	if (!read_parts(&r) || ((r.is_am || r.is_pm) && (r.hour > 12 || r.hour == 0)))
		return false;
	if (r.is_pm && r.hour < 12)
		r.hour += 12;
	if (r.is_am && r.hour == 12)
		r.hour = 0;
	if (!r.year && !r.month && !r.day && r.has_clock && r.hour < 24 && r.minute < 60) {
		ret_time->is_clock = true;
		ret_time->at = r.hour * 3600.0 + r.minute * 60.0 + r.second;
		return true;
	}
	if (r.year < YEAR_MIN || r.year > YEAR_MAX || !r.month || !r.day ||
		calendar_seconds(
			&(struct calendar_time){r.year, r.month, r.day, r.hour, r.minute, r.second},
			&seconds))
		return false;
	ret_time->is_day = !r.has_clock;
	ret_time->at = (double)seconds - r.zone * 60.0;
	return true;
}
