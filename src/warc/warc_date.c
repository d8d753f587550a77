#include "warc/warc_date.h"

#include <string.h>

#include "base/calendar.h"
#include "base/clock.h"
#include "base/err.h"

enum {
	YEAR_MIN = 1678, /* whole years that nanoseconds in 64 bits reach */
	YEAR_MAX = 2261,
};

struct parts {
	struct calendar_time time;
	int64_t nanosecond;
	int zone_minutes;
};

/* Cursor functions: each takes what it names off the front, or leaves the text as it is. */
static bool take_char(slice *s, char c)
{
	if (s->len == 0 || s->ptr[0] != c)
		return false;
	*s = slice_sub(*s, 1, s->len);
	return true;
}

static bool take_digits(slice *s, size_t count, unsigned *ret)
{
	unsigned value = 0;

	if (s->len < count)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (s->ptr[i] < '0' || s->ptr[i] > '9')
			return false;
		value = value * 10 + (unsigned)(s->ptr[i] - '0');
	}
	*s = slice_sub(*s, count, s->len);
	*ret = value;
	return true;
}

static bool take_fraction(slice *s, int64_t *ret_ns)
{
	int64_t unit = CLOCK_NS_PER_SECOND / 10;
	unsigned digit;

	if (!take_digits(s, 1, &digit))
		return false;
	do {
		*ret_ns += digit * unit;
		unit /= 10;
	} while (take_digits(s, 1, &digit));
	return true;
}

static bool take_zone(slice *s, int *ret_minutes)
{
	unsigned hours, minutes;
	int sign = 0;

	if (s->len == 0 || take_char(s, 'Z') || take_char(s, 'z'))
		return true;
	if (take_char(s, '+'))
		sign = 1;
	else if (take_char(s, '-'))
		sign = -1;
	if (!sign || !take_digits(s, 2, &hours))
		return false;
	(void)take_char(s, ':');
	if (!take_digits(s, 2, &minutes) || hours > 23 || minutes > 59)
		return false;
	*ret_minutes = sign * (int)(hours * 60 + minutes);
	return true;
}

static bool take_time(slice *s, struct parts *p)
{
	if (!take_digits(s, 2, &p->time.hour) || !take_char(s, ':') ||
		!take_digits(s, 2, &p->time.minute))
		return false;
	if (take_char(s, ':')) {
		if (!take_digits(s, 2, &p->time.second))
			return false;
		if (take_char(s, '.') && !take_fraction(s, &p->nanosecond))
			return false;
	}
	return take_zone(s, &p->zone_minutes);
}

static bool take_compact(slice *s, struct parts *p)
{
	return take_digits(s, 2, &p->time.month) && take_digits(s, 2, &p->time.day) &&
	       take_digits(s, 2, &p->time.hour) && take_digits(s, 2, &p->time.minute) &&
	       take_digits(s, 2, &p->time.second);
}

static bool take_date(slice *s, struct parts *p)
{
	if (!take_digits(s, 4, &p->time.year))
		return false;
	if (s->len == 10)
		return take_compact(s, p);
	if (!take_char(s, '-'))
		return true;
	if (!take_digits(s, 2, &p->time.month))
		return false;
	if (!take_char(s, '-'))
		return true;
	if (!take_digits(s, 2, &p->time.day))
		return false;
	if (!take_char(s, 'T') && !take_char(s, 't') && !take_char(s, ' '))
		return true;
	return take_time(s, p);
}

int64_t warc_date_truncate(int64_t ns)
{
	int64_t rest = ns % CLOCK_NS_PER_SECOND;

	if (ns < INT64_MIN + CLOCK_NS_PER_SECOND)
		return INT64_MIN; /* before all that can be said */
	return ns - rest - (rest < 0 ? CLOCK_NS_PER_SECOND : 0);
}

int warc_date_parse(slice text, int64_t *ret_ns)
{
	struct parts p = {.time = {.month = 1, .day = 1}};
	int64_t seconds;

	if (!take_date(&text, &p) || text.len > 0)
		return ERR_SYNTAX;
	if (p.time.year < YEAR_MIN || p.time.year > YEAR_MAX || p.time.hour > 23 ||
		calendar_seconds(&p.time, &seconds))
		return ERR_RANGE;
	*ret_ns = (seconds - p.zone_minutes * 60) * CLOCK_NS_PER_SECOND + p.nanosecond;
	return 0;
}

/* The clock's own text says all but the digits behind the millisecond. */
void warc_date_format_ns(int64_t ns, char out[WARC_DATE_NS_SIZE])
{
	enum { MS_END = 23, NS_END = 29 }; /* of the digits */
	int rest = (int)((ns % 1000000 + 1000000) % 1000000);

	clock_format(ns, CLOCK_ROUND_DOWN, out);
	for (int at = NS_END - 1; at >= MS_END; at--, rest /= 10)
		out[at] = (char)('0' + rest % 10);
	memcpy(out + NS_END, "Z", 2);
}

void warc_date_format(int64_t ns, char out[WARC_DATE_SIZE])
{
	char text[CLOCK_TEXT_SIZE];

	clock_format(ns, CLOCK_ROUND_DOWN, text);
	memcpy(out, text, WARC_DATE_SIZE - 2);
	memcpy(out + WARC_DATE_SIZE - 2, "Z", 2);
}

void warc_date_digits(int64_t ns, char out[WARC_DATE_DIGITS_SIZE])
{
	char text[CLOCK_TEXT_SIZE];
	size_t len = 0;

	clock_format(ns, CLOCK_ROUND_DOWN, text);
	for (size_t i = 0; len + 1 < WARC_DATE_DIGITS_SIZE; i++)
		if (text[i] >= '0' && text[i] <= '9')
			out[len++] = text[i];
	out[len] = '\0';
}
