#include "replay/timestamp.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "archive/warc_date.h"
#include "base/calendar.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/word.h"

enum {
	NS_PER_MS = 1000000,
	MS_PER_SECOND = 1000,
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
	int rc;

	if (digits.len < TIMESTAMP_DIGITS_MIN || digits.len > TIMESTAMP_DIGITS_MAX)
		return ERR_SYNTAX;
	for (size_t i = 0; i < digits.len; i++)
		if (!word_is_digit(digits.ptr[i]))
			return ERR_SYNTAX;
	rc = instant(digits, false, &t.first);
	if (rc == 0)
		rc = instant(digits, true, &t.last);
	if (rc == 0)
		*ret = t;
	return rc;
}

void timestamp_format(int64_t ns, unsigned digits, char out[TIMESTAMP_SIZE])
{
	int64_t rest = ns % CLOCK_NS_PER_SECOND;

	warc_date_digits(ns, out);
	if (digits <= TIMESTAMP_SECONDS)
		return;
	if (rest < 0)
		rest += CLOCK_NS_PER_SECOND;
	(void)snprintf(out + TIMESTAMP_SECONDS, TIMESTAMP_SIZE - TIMESTAMP_SECONDS, "%03u",
		(unsigned)(rest / NS_PER_MS) % MS_PER_SECOND);
}
