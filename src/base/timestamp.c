#include "base/timestamp.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/calendar.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/word.h"

enum {
	NS_PER_MS = 1000000,
	YEAR_MIN = 1678, /* the first whole year that fits into 64 bits of nanoseconds */
	YEAR_MAX = 2261,
};

/* Where the parts stand among the digits, and their bounds. */
static const struct part {
	unsigned at, len, min, max;
} PARTS[] = {
	{0, 4, 0, 9999},
	{4, 2, 1, 12},
	{6, 2, 1, 31},
	{8, 2, 0, 23},
	{10, 2, 0, 59},
	{12, 2, 0, 59},
	{14, 3, 0, 999},
};

enum { YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, MILLISECOND, PART_COUNT };

static unsigned days_of(unsigned year, unsigned month)
{
	static const unsigned DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return DAYS[(month + 11) % 12] + (month == 2 && leap);
}

/*
 * A part of which the first digits are given: the smallest or largest value within the bounds that
 * begins with them; false when there is none.
 */
static bool complete(slice given, const struct part *p, unsigned max, bool last, unsigned *ret)
{
	unsigned low = 0, high = 0;

	for (unsigned i = 0; i < p->len; i++) {
		unsigned digit = i < given.len ? (unsigned)(given.ptr[i] - '0') : 10;

		low = low * 10 + (digit < 10 ? digit : 0);
		high = high * 10 + (digit < 10 ? digit : 9);
	}
	if (low < p->min)
		low = p->min;
	if (high > max)
		high = max;
	*ret = last ? high : low;
	return low <= high;
}

static int instant(slice digits, bool last, int64_t *ret)
{
	unsigned v[PART_COUNT] = {0};
	int64_t seconds;
	int rc;

	for (int i = 0; i < PART_COUNT; i++) {
		const struct part *p = &PARTS[i];
		unsigned max = i == DAY ? days_of(v[YEAR], v[MONTH]) : p->max;

		if (!complete(slice_sub(digits, p->at, p->at + p->len), p, max, last, &v[i]))
			return ERR_RANGE;
	}
	if (v[YEAR] < YEAR_MIN || v[YEAR] > YEAR_MAX) {
		*ret = v[YEAR] < YEAR_MIN ? INT64_MIN : INT64_MAX;
		return 0;
	}
	rc = calendar_seconds(
		&(struct calendar_time){v[YEAR], v[MONTH], v[DAY], v[HOUR], v[MINUTE], v[SECOND]},
		&seconds);
	if (rc == 0)
		*ret = seconds * CLOCK_NS_PER_SECOND + (int64_t)v[MILLISECOND] * NS_PER_MS +
		       (last ? NS_PER_MS - 1 : 0);
	return rc;
}

int timestamp_parse(slice digits, struct timestamp *ret)
{
	struct timestamp t = {0};

	if (digits.len < TIMESTAMP_DIGITS_MIN || digits.len > TIMESTAMP_DIGITS_MAX)
		return ERR_SYNTAX;
	for (size_t i = 0; i < digits.len; i++)
		if (!word_is_digit(digits.ptr[i]))
			return ERR_SYNTAX;
	TRY(instant(digits, false, &t.first));
	TRY(instant(digits, true, &t.last));
	*ret = t;
	return 0;
}

/* ---- dates with dashes ---- */

enum { FRACTION_DIGITS = 9 };

/* A date while it is read: its digits without what stands between them. */
struct reading {
	slice rest;
	char digits[TIMESTAMP_SECONDS];
	size_t len;
};

static bool take_char(struct reading *r, char c)
{
	if (r->rest.len == 0 || r->rest.ptr[0] != c)
		return false;
	r->rest = slice_sub(r->rest, 1, r->rest.len);
	return true;
}

static bool take_digits(struct reading *r, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (i >= r->rest.len || !word_is_digit(r->rest.ptr[i]) ||
			r->len + i >= sizeof r->digits)
			return false;
	memcpy(r->digits + r->len, r->rest.ptr, count);
	r->len += count;
	r->rest = slice_sub(r->rest, count, r->rest.len);
	return true;
}

/* "2026-11-18T13:09:03", or as much of it as there is. */
static bool take_date(struct reading *r, bool *ret_has_time)
{
	*ret_has_time = false;
	if (!take_digits(r, 4))
		return false;
	if (!take_char(r, '-'))
		return true;
	if (!take_digits(r, 2))
		return false;
	if (!take_char(r, '-'))
		return true;
	if (!take_digits(r, 2))
		return false;
	if (!take_char(r, 'T') && !take_char(r, 't') && !take_char(r, ' '))
		return true;
	*ret_has_time = true;
	return take_digits(r, 2) && take_char(r, ':') && take_digits(r, 2) &&
	       (!take_char(r, ':') || take_digits(r, 2));
}

/* ".849", in nanoseconds. Who writes a fraction means that instant. */
static bool take_fraction(struct reading *r, int64_t *ret)
{
	int64_t unit = CLOCK_NS_PER_SECOND, value = 0;
	size_t count = 0;

	while (r->rest.len && word_is_digit(r->rest.ptr[0])) {
		if (count++ < FRACTION_DIGITS) {
			unit /= 10;
			value += (r->rest.ptr[0] - '0') * unit;
		}
		r->rest = slice_sub(r->rest, 1, r->rest.len);
	}
	*ret = value;
	return count > 0;
}

/* "Z", "+02:00" or nothing: UTC. */
static bool take_zone(struct reading *r, int64_t *ret_ns)
{
	bool west = take_char(r, '-');
	unsigned v[4];

	*ret_ns = 0;
	if (!west && !take_char(r, '+')) {
		(void)(take_char(r, 'Z') || take_char(r, 'z'));
		return r->rest.len == 0;
	}
	for (size_t i = 0; i < 4; i++) {
		if (i == 2)
			(void)take_char(r, ':');
		if (r->rest.len == 0 || !word_is_digit(r->rest.ptr[0]))
			return false;
		v[i] = (unsigned)(r->rest.ptr[0] - '0');
		r->rest = slice_sub(r->rest, 1, r->rest.len);
	}
	*ret_ns = (int64_t)((v[0] * 10 + v[1]) * 3600 + (v[2] * 10 + v[3]) * 60) *
		  (west ? CLOCK_NS_PER_SECOND : -CLOCK_NS_PER_SECOND);
	return r->rest.len == 0 && v[0] * 10 + v[1] < 24 && v[2] < 6;
}

static int64_t add(int64_t time, int64_t ns)
{
	int64_t sum;

	if (time == INT64_MIN || time == INT64_MAX)
		return time;
	if (__builtin_add_overflow(time, ns, &sum))
		return ns < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static int read_date(slice text, struct timestamp *ret)
{
	struct reading r = {.rest = text};
	int64_t fraction = 0, zone = 0;
	bool has_time, has_fraction;
	struct timestamp t;
	int rc;

	if (!take_date(&r, &has_time))
		return ERR_SYNTAX;
	has_fraction = r.len == TIMESTAMP_SECONDS && take_char(&r, '.');
	if ((has_fraction && !take_fraction(&r, &fraction)) ||
		(has_time ? !take_zone(&r, &zone) : r.rest.len > 0))
		return ERR_SYNTAX;
	rc = timestamp_parse((slice){r.digits, r.len}, &t);
	if (rc)
		return rc;
	if (has_fraction)
		t.first = t.last = add(t.first, fraction);
	*ret = (struct timestamp){add(t.first, zone), add(t.last, zone)};
	return 0;
}

int timestamp_read(slice text, int64_t now, struct timestamp *ret)
{
	if (slice_eq(text, SLICE("now"))) {
		*ret = (struct timestamp){now, now};
		return 0;
	}
	if (text.len > 4 && !memchr(text.ptr, '-', text.len))
		return timestamp_parse(text, ret);
	return read_date(text, ret);
}

int timestamp_read_said(slice text, int64_t now, struct timestamp *ret, struct err *err)
{
	if (timestamp_read(text, now, ret) == 0)
		return 0;
	return err_set(err, ERR_USAGE,
		"'%.*s' is no time; write 2026-05-31T12:00:00Z, 2026-05-31, 20260531120000 or now",
		slice_shown(text, 80), text.ptr);
}

void timestamp_format(int64_t ns, unsigned digits, char out[TIMESTAMP_SIZE])
{
	char text[CLOCK_TEXT_SIZE];
	size_t len = 0;

	clock_format(ns, CLOCK_ROUND_DOWN, text);
	for (size_t i = 0; text[i] && len < digits && len + 1 < TIMESTAMP_SIZE; i++)
		if (word_is_digit(text[i]))
			out[len++] = text[i];
	out[len] = '\0';
}
