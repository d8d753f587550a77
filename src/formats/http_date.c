#include "formats/http_date.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/calendar.h"
#include "base/clock.h"
#include "base/date_cursor.h"
#include "base/err.h"
#include "base/parse.h"
#include "formats/http_fields.h"

static double clamp(double seconds)
{
	return fmin(fmax(seconds, 0), RETRY_AFTER_MAX);
}

int retry_after_parse(slice value, int64_t now_realtime_ns, double *ret_seconds)
{
	double seconds;
	int64_t until;
	int rc;

	value = fields_trim(value);
	rc = parse_double(value, &seconds);
	if (rc == ERR_RANGE) /* too large for a double, in either direction */
		seconds = value.ptr[0] == '-' ? 0 : RETRY_AFTER_MAX;
	if (rc == 0 || rc == ERR_RANGE) {
		*ret_seconds = clamp(seconds);
		return 0;
	}
	if (http_date_parse_seconds(value, now_realtime_ns, &until))
		return ERR_SYNTAX;
	*ret_seconds = clamp((double)until - clock_seconds(now_realtime_ns));
	return 0;
}

enum {
	CENTURY = 100,
	YEARS_AHEAD_MAX = 50, /* of a year with two digits: RFC 9110 §5.6.7 */
};

/* What a date says, and whether its year has lost its century. */
struct date_parts {
	struct calendar_time time;
	bool two_digits;
};

static bool take_month(slice *s, unsigned *ret)
{
	slice word = date_take_letters(s);

	*ret = word.len == 3 ? date_month(word) : 0;
	return *ret > 0;
}

static bool take_time(slice *s, struct calendar_time *t)
{
	return date_take_number(s, 2, 2, &t->hour) && date_take(s, ":") &&
	       date_take_number(s, 2, 2, &t->minute) && date_take(s, ":") &&
	       date_take_number(s, 2, 2, &t->second);
}

static bool take_zone(slice *s)
{
	static const slice names[] = {SLICE_INIT("GMT"), SLICE_INIT("UTC"), SLICE_INIT("+0000")};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (word_starts(*s, names[i])) {
			*s = slice_sub(*s, names[i].len, s->len);
			return true;
		}
	}
	return false;
}

/* Behind the weekday: " Nov  6 08:49:37 1994" */
static bool take_asctime(slice *s, struct date_parts *f)
{
	return date_take_blanks(s) && take_month(s, &f->time.month) && date_take_blanks(s) &&
	       date_take_number(s, 1, 2, &f->time.day) && date_take_blanks(s) &&
	       take_time(s, &f->time) && date_take_blanks(s) &&
	       date_take_number(s, 4, 4, &f->time.year);
}

/* The year of RFC 850, or of servers that print four digits in its place. */
static bool take_year(slice *s, struct date_parts *f)
{
	size_t digits = date_count_digits(*s);

	f->two_digits = digits == 2;
	return (digits == 2 || digits == 4) && date_take_number(s, digits, digits, &f->time.year);
}

/* Behind the weekday: ", 06 Nov 1994 08:49:37 GMT" or ", 06-Nov-94 08:49:37 GMT" */
static bool take_fixdate(slice *s, struct date_parts *f)
{
	if (!date_take(s, ","))
		return false;
	(void)date_take_blanks(s);
	if (!date_take_number(s, 1, 2, &f->time.day))
		return false;
	if (date_take(s, "-")) {
		if (!take_month(s, &f->time.month) || !date_take(s, "-") || !take_year(s, f))
			return false;
	} else if (!date_take_blanks(s) || !take_month(s, &f->time.month) || !date_take_blanks(s) ||
		   !date_take_number(s, 4, 4, &f->time.year)) {
		return false;
	}
	return date_take_blanks(s) && take_time(s, &f->time) && date_take_blanks(s) && take_zone(s);
}

static bool take_date(slice *s, struct date_parts *f)
{
	(void)date_take_blanks(s);
	if (date_take_letters(s).len < 3)
		return false;
	if (s->len > 0 && s->ptr[0] == ',' ? !take_fixdate(s, f) : !take_asctime(s, f))
		return false;
	(void)date_take_blanks(s);
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

int http_date_parse_seconds(slice text, int64_t now_ns, int64_t *ret_seconds)
{
	struct date_parts f = {0};

	if (text.len > HTTP_DATE_TEXT_MAX || !take_date(&text, &f))
		return ERR_SYNTAX;
	if (f.two_digits)
		f.time.year = full_year(f.time.year, now_ns);
	return calendar_seconds(&f.time, ret_seconds);
}

void http_date_format(int64_t realtime_ns, char out[HTTP_DATE_SIZE])
{
	static const char DAYS[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	static const char MONTHS[][4] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	int64_t below = realtime_ns % CLOCK_NS_PER_SECOND < 0;
	time_t seconds = (time_t)(realtime_ns / CLOCK_NS_PER_SECOND - below);
	struct tm t;

	(void)gmtime_r(&seconds, &t);
	(void)snprintf(out, HTTP_DATE_SIZE, "%s, %02d %s %04d %02d:%02d:%02d GMT", DAYS[t.tm_wday],
		t.tm_mday, MONTHS[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}
