#include "base/calendar.h"

#include <stdbool.h>
#include <time.h>

#include "base/err.h"

enum { YEAR_MAX = 9999 };

static unsigned days_in_month(unsigned year, unsigned month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

/* Days from 1970-01-01; the year is counted from March, so that the leap day comes last. */
static int64_t days_from_epoch(unsigned year, unsigned month, unsigned day)
{
	int64_t y = (int64_t)year - (month <= 2);
	int64_t month_from_march = (month + 9) % 12;
	int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;

	return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

int calendar_seconds(const struct calendar_time *t, int64_t *ret_seconds)
{
	if (t->year < 1 || t->year > YEAR_MAX || t->month < 1 || t->month > 12)
		return ERR_RANGE;
	if (t->day < 1 || t->day > days_in_month(t->year, t->month))
		return ERR_RANGE;
	if (t->hour > 24 || t->minute > 59 || t->second > 60)
		return ERR_RANGE;
	if (t->hour == 24 && (t->minute || t->second))
		return ERR_RANGE;
	*ret_seconds = days_from_epoch(t->year, t->month, t->day) * 86400 +
		       t->hour * INT64_C(3600) + t->minute * INT64_C(60) + t->second;
	return 0;
}

int64_t calendar_year(int64_t seconds)
{
	time_t t = (time_t)seconds;
	struct tm tm = {0};

	(void)gmtime_r(&t, &tm); /* fails only for years that no int holds */
	return tm.tm_year + INT64_C(1900);
}
