#include "http/date.h"

#include <stdbool.h>
#include <strings.h>

#include "base/calendar.h"
#include "base/clock.h"
#include "base/err.h"

enum {
	CENTURY = 100,
	YEARS_AHEAD_MAX = 50, /* of a year with two digits: RFC 9110 §5.6.7 */
};

/* What a date says, and whether its year has lost its century. */
struct fields {
	struct calendar_time time;
	bool two_digits;
};

/* Cursor functions: each takes what it names off the front, or says no. */
static void advance(slice *s, size_t n)
{
	*s = slice_sub(*s, n, s->len);
}

static bool take_blanks(slice *s)
{
	size_t n = 0;

	while (n < s->len && (s->ptr[n] == ' ' || s->ptr[n] == '\t'))
		n++;
	advance(s, n);
	return n > 0;
}

static bool take_char(slice *s, char c)
{
	if (s->len == 0 || s->ptr[0] != c)
		return false;
	advance(s, 1);
	return true;
}

/* From min to max digits, and no digit behind them. */
static bool take_number(slice *s, size_t min, size_t max, unsigned *ret)
{
	unsigned value = 0;
	size_t n = 0;

	for (; n < s->len && s->ptr[n] >= '0' && s->ptr[n] <= '9'; n++) {
		if (n == max)
			return false;
		value = value * 10 + (unsigned)(s->ptr[n] - '0');
	}
	if (n < min)
		return false;
	advance(s, n);
	*ret = value;
	return true;
}

static slice take_word(slice *s)
{
	size_t n = 0;
	slice word;

	while (n < s->len && ((s->ptr[n] | 0x20) >= 'a' && (s->ptr[n] | 0x20) <= 'z'))
		n++;
	word = slice_sub(*s, 0, n);
	advance(s, n);
	return word;
}

static bool take_month(slice *s, unsigned *ret)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	slice word = take_word(s);

	for (unsigned m = 0; word.len == 3 && m < 12; m++) {
		if (strncasecmp(word.ptr, names + 3 * (size_t)m, 3) == 0) {
			*ret = m + 1;
			return true;
		}
	}
	return false;
}

static bool take_time(slice *s, struct calendar_time *t)
{
	return take_number(s, 2, 2, &t->hour) && take_char(s, ':') &&
	       take_number(s, 2, 2, &t->minute) && take_char(s, ':') &&
	       take_number(s, 2, 2, &t->second);
}

static bool take_zone(slice *s)
{
	static const slice names[] = {SLICE_INIT("GMT"), SLICE_INIT("UTC"), SLICE_INIT("+0000")};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (s->len >= names[i].len &&
			strncasecmp(s->ptr, names[i].ptr, names[i].len) == 0) {
			advance(s, names[i].len);
			return true;
		}
	}
	return false;
}

/* Behind the weekday: " Nov  6 08:49:37 1994" */
static bool take_asctime(slice *s, struct fields *f)
{
	return take_blanks(s) && take_month(s, &f->time.month) && take_blanks(s) &&
	       take_number(s, 1, 2, &f->time.day) && take_blanks(s) && take_time(s, &f->time) &&
	       take_blanks(s) && take_number(s, 4, 4, &f->time.year);
}

/* The year of RFC 850, or of servers that print four digits in its place. */
static bool take_year(slice *s, struct fields *f)
{
	slice rest = *s;

	f->two_digits = take_number(&rest, 2, 2, &f->time.year);
	if (!f->two_digits)
		return take_number(s, 4, 4, &f->time.year);
	*s = rest;
	return true;
}

/* Behind the weekday: ", 06 Nov 1994 08:49:37 GMT" or ", 06-Nov-94 08:49:37 GMT" */
static bool take_fixdate(slice *s, struct fields *f)
{
	if (!take_char(s, ','))
		return false;
	(void)take_blanks(s);
	if (!take_number(s, 1, 2, &f->time.day))
		return false;
	if (take_char(s, '-')) {
		if (!take_month(s, &f->time.month) || !take_char(s, '-') || !take_year(s, f))
			return false;
	} else if (!take_blanks(s) || !take_month(s, &f->time.month) || !take_blanks(s) ||
		   !take_number(s, 4, 4, &f->time.year)) {
		return false;
	}
	return take_blanks(s) && take_time(s, &f->time) && take_blanks(s) && take_zone(s);
}

static bool take_date(slice *s, struct fields *f)
{
	(void)take_blanks(s);
	if (take_word(s).len < 3)
		return false;
	if (s->len > 0 && s->ptr[0] == ',' ? !take_fixdate(s, f) : !take_asctime(s, f))
		return false;
	(void)take_blanks(s);
	return s->len == 0;
}

/*
 * "Recipients of a timestamp value in rfc850-date format, which uses a two-digit year, MUST
 * interpret a timestamp that appears to be more than 50 years in the future as representing the
 * most recent year in the past that had the same last two digits."
 */
static unsigned full_year(unsigned two_digits, int64_t now_ns)
{
	int64_t now = calendar_year(now_ns / CLOCK_NS_PER_SECOND);
	int64_t year = now - now % CENTURY + two_digits;

	if (year > now + YEARS_AHEAD_MAX)
		year -= CENTURY;
	else if (year <= now + YEARS_AHEAD_MAX - CENTURY)
		year += CENTURY;
	return (unsigned)year;
}

static int parse(slice text, int64_t now_ns, struct calendar_time *ret)
{
	struct fields f = {0};

	if (text.len > HTTP_DATE_TEXT_MAX || !take_date(&text, &f))
		return ERR_SYNTAX;
	if (f.two_digits)
		f.time.year = full_year(f.time.year, now_ns);
	*ret = f.time;
	return 0;
}

int http_date_parse_seconds(slice text, int64_t now_ns, int64_t *ret_seconds)
{
	struct calendar_time t;
	int rc = parse(text, now_ns, &t);

	return rc ? rc : calendar_seconds(&t, ret_seconds);
}
