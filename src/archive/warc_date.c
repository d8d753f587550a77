#include "archive/warc_date.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"

enum {
	YEAR_MIN = 1678, /* whole years that nanoseconds in 64 bits reach */
	YEAR_MAX = 2261,
};

struct parts {
	int year, month, day, hour, minute, second;
	int64_t nanosecond;
	int zone_minutes;
};

static int days_in_month(int year, int month)
{
	static const unsigned char DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return DAYS[month - 1] + (month == 2 && leap);
}

/* Cursor functions: each takes what it names off the front, or leaves the text as it is. */
static bool take_char(slice *s, char c)
{
	if (s->len == 0 || s->ptr[0] != c)
		return false;
	*s = slice_sub(*s, 1, s->len);
	return true;
}

static bool take_digits(slice *s, size_t count, int *ret)
{
	int value = 0;

	if (s->len < count)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (s->ptr[i] < '0' || s->ptr[i] > '9')
			return false;
		value = value * 10 + (s->ptr[i] - '0');
	}
	*s = slice_sub(*s, count, s->len);
	*ret = value;
	return true;
}

static bool take_fraction(slice *s, int64_t *ret_ns)
{
	int64_t unit = CLOCK_NS_PER_SECOND / 10;
	int digit;

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
	int sign = 0, hours, minutes;

	if (s->len == 0 || take_char(s, 'Z') || take_char(s, 'z'))
		return true;
	if (take_char(s, '+'))
		sign = 1;
	else if (take_char(s, '-'))
		sign = -1;
	if (!sign || !take_digits(s, 2, &hours))
		return false;
	(void)take_char(s, ':');
	if (!take_digits(s, 2, &minutes))
		return false;
	*ret_minutes = sign * (hours * 60 + minutes);
	return true;
}

static bool take_time(slice *s, struct parts *p)
{
	if (!take_digits(s, 2, &p->hour) || !take_char(s, ':') || !take_digits(s, 2, &p->minute))
		return false;
	if (take_char(s, ':')) {
		if (!take_digits(s, 2, &p->second))
			return false;
		if (take_char(s, '.') && !take_fraction(s, &p->nanosecond))
			return false;
	}
	return take_zone(s, &p->zone_minutes);
}

static bool take_compact(slice *s, struct parts *p)
{
	return take_digits(s, 2, &p->month) && take_digits(s, 2, &p->day) &&
	       take_digits(s, 2, &p->hour) && take_digits(s, 2, &p->minute) &&
	       take_digits(s, 2, &p->second);
}

static bool take_date(slice *s, struct parts *p)
{
	if (!take_digits(s, 4, &p->year))
		return false;
	if (s->len == 10)
		return take_compact(s, p);
	if (!take_char(s, '-'))
		return true;
	if (!take_digits(s, 2, &p->month))
		return false;
	if (!take_char(s, '-'))
		return true;
	if (!take_digits(s, 2, &p->day))
		return false;
	if (!take_char(s, 'T') && !take_char(s, 't') && !take_char(s, ' '))
		return true;
	return take_time(s, p);
}

static bool is_possible(const struct parts *p)
{
	return p->year >= YEAR_MIN && p->year <= YEAR_MAX && p->month >= 1 && p->month <= 12 &&
	       p->day >= 1 && p->day <= days_in_month(p->year, p->month) && p->hour <= 23 &&
	       p->minute <= 59 && p->second <= 60; /* 60: a leap second, counted as the next */
}

int64_t warc_date_truncate(int64_t ns)
{
	int64_t rest = ns % CLOCK_NS_PER_SECOND;

	return ns - rest - (rest < 0 ? CLOCK_NS_PER_SECOND : 0);
}

int warc_date_parse(slice text, int64_t *ret_ns)
{
	struct parts p = {.month = 1, .day = 1};
	struct tm tm;

	if (!take_date(&text, &p) || text.len > 0)
		return ERR_SYNTAX;
	if (!is_possible(&p))
		return ERR_RANGE;
	tm = (struct tm){
		.tm_year = p.year - 1900,
		.tm_mon = p.month - 1,
		.tm_mday = p.day,
		.tm_hour = p.hour,
		.tm_min = p.minute - p.zone_minutes,
		.tm_sec = p.second,
	};
	*ret_ns = timegm(&tm) * CLOCK_NS_PER_SECOND + p.nanosecond;
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
