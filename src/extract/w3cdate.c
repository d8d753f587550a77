#include "extract/w3cdate.h"

#include <stdbool.h>
#include <strings.h>

#include "base/calendar.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/word.h"

/* The fields as written. */
struct fields {
	struct calendar_time time;
	unsigned nanoseconds;
	int offset; /* minutes east of Greenwich */
	enum w3cdate_precision precision;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void advance(slice *s, size_t n)
{
	*s = slice_sub(*s, n, s->len);
}

static bool skip_blanks(slice *s)
{
	size_t n = 0;

	while (n < s->len && is_blank(s->ptr[n]))
		n++;
	advance(s, n);
	return n > 0;
}

static bool next_is(slice s, const char *set)
{
	return s.len > 0 && s.ptr[0] != '\0' && strchr(set, s.ptr[0]);
}

static bool take(slice *s, const char *set)
{
	if (!next_is(*s, set))
		return false;
	advance(s, 1);
	return true;
}

static size_t count_digits(slice s)
{
	size_t n = 0;

	while (n < s.len && word_is_digit(s.ptr[n]))
		n++;
	return n;
}

/* At least min and at most max (≤ 9) digits. */
static bool take_number(slice *s, size_t min, size_t max, unsigned *ret)
{
	size_t n = count_digits(*s);
	unsigned value = 0;

	if (n < min)
		return false;
	if (n > max)
		n = max;
	for (size_t i = 0; i < n; i++)
		value = value * 10 + (unsigned)(s->ptr[i] - '0');
	advance(s, n);
	*ret = value;
	return true;
}

static slice take_word(slice *s)
{
	size_t n = 0;
	slice word;

	while (n < s->len && word_is_alpha(s->ptr[n]))
		n++;
	word = slice_sub(*s, 0, n);
	advance(s, n);
	return word;
}

static bool is_word(slice word, const char *want)
{
	return word.len == strlen(want) && strncasecmp(word.ptr, want, word.len) == 0;
}

static int to_instant(const struct fields *f, struct w3cdate *ret)
{
	int64_t seconds;

	if (f->time.year < W3CDATE_YEAR_MIN || f->time.year > W3CDATE_YEAR_MAX)
		return ERR_RANGE;
	if (f->time.hour == 24 && f->nanoseconds)
		return ERR_RANGE;
	if (calendar_seconds(&f->time, &seconds))
		return ERR_RANGE;
	seconds -= f->offset * INT64_C(60);
	*ret = (struct w3cdate){seconds * CLOCK_NS_PER_SECOND + f->nanoseconds, f->precision};
	return 0;
}

/* Digits behind a decimal point; those beyond nanoseconds are dropped. */
static bool take_fraction(slice *s, unsigned *ret)
{
	size_t n = count_digits(*s);
	unsigned value = 0;

	if (n == 0)
		return false;
	for (size_t i = 0; i < 9; i++)
		value = value * 10 + (i < n ? (unsigned)(s->ptr[i] - '0') : 0);
	advance(s, n);
	*ret = value;
	return true;
}

/* ±hh:mm, ±hhmm, ±hh */
static bool take_offset(slice *s, int *ret)
{
	bool west = next_is(*s, "-");
	unsigned hours, minutes = 0;

	if (!take(s, "+-") || !take_number(s, 2, 2, &hours))
		return false;
	if (take(s, ":") ? !take_number(s, 2, 2, &minutes)
			 : count_digits(*s) > 0 && !take_number(s, 2, 2, &minutes))
		return false;
	if (hours > 23 || minutes > 59)
		return false;
	*ret = (int)(hours * 60 + minutes) * (west ? -1 : 1);
	return true;
}

/* What may stand behind a date or time of W3C-DTF; nothing means UTC. */
static bool take_w3c_zone(slice *s, int *ret)
{
	slice word;

	(void)skip_blanks(s);
	if (next_is(*s, "+-"))
		return take_offset(s, ret);
	word = take_word(s);
	*ret = 0;
	return word.len == 0 || is_word(word, "Z") || is_word(word, "UTC") || is_word(word, "GMT");
}

/* hh:mm, hh:mm:ss, hh:mm:ss.s…, or without the colons; the colons must be consistent. */
static bool take_time(slice *s, struct fields *f)
{
	bool colon;

	if (!take_number(s, 2, 2, &f->time.hour))
		return false;
	colon = take(s, ":");
	if (!take_number(s, 2, 2, &f->time.minute))
		return false;
	f->precision = W3CDATE_MINUTE;
	if (colon ? !take(s, ":") : count_digits(*s) == 0)
		return true;
	if (!take_number(s, 2, 2, &f->time.second))
		return false;
	f->precision = W3CDATE_SECOND;
	if (!take(s, ".,"))
		return true;
	f->precision = W3CDATE_FRACTION;
	return take_fraction(s, &f->nanoseconds);
}

/* YYYYMMDD, for which eight digits are needed: fewer are no date. */
static bool take_compact_date(slice *s, struct fields *f)
{
	f->precision = W3CDATE_DAY;
	return count_digits(*s) == 8 && take_number(s, 4, 4, &f->time.year) &&
	       take_number(s, 2, 2, &f->time.month) && take_number(s, 2, 2, &f->time.day);
}

/* YYYY, YYYY-MM, YYYY-MM-DD */
static bool take_date(slice *s, struct fields *f)
{
	char separator[2] = {0};

	f->time.month = f->time.day = 1;
	if (count_digits(*s) > 4)
		return take_compact_date(s, f);
	if (!take_number(s, 4, 4, &f->time.year))
		return false;
	f->precision = W3CDATE_YEAR;
	if (!next_is(*s, "-/."))
		return true;
	separator[0] = s->ptr[0];
	advance(s, 1);
	if (!take_number(s, 1, 2, &f->time.month))
		return false;
	f->precision = W3CDATE_MONTH;
	if (!take(s, separator))
		return true;
	f->precision = W3CDATE_DAY;
	return take_number(s, 1, 2, &f->time.day);
}

int w3cdate_parse(slice text, struct w3cdate *ret)
{
	struct fields f = {0};
	bool timed;

	if (text.len > W3CDATE_TEXT_MAX)
		return ERR_SYNTAX;
	(void)skip_blanks(&text);
	if (!take_date(&text, &f))
		return ERR_SYNTAX;
	timed = take(&text, "Tt") || (skip_blanks(&text) && count_digits(text) > 0);
	if (timed && (f.precision < W3CDATE_DAY || !take_time(&text, &f)))
		return ERR_SYNTAX;
	if (f.precision >= W3CDATE_DAY && !take_w3c_zone(&text, &f.offset))
		return ERR_SYNTAX;
	(void)skip_blanks(&text);
	return text.len ? ERR_SYNTAX : to_instant(&f, ret);
}

static bool take_month(slice *s, unsigned *ret)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	slice word = take_word(s);

	if (word.len < 3) /* longer ones are written out: "June", "Sept" */
		return false;
	for (unsigned m = 0; m < 12; m++) {
		if (strncasecmp(word.ptr, names + 3 * (size_t)m, 3) == 0) {
			*ret = m + 1;
			return true;
		}
	}
	return false;
}

/* RFC 2822 §4.3: two digits mean 1950 to 2049, three are counted from 1900. */
static bool take_rfc822_year(slice *s, unsigned *ret)
{
	size_t digits = count_digits(*s);
	unsigned year;

	if (digits > 4 || !take_number(s, 2, 4, &year))
		return false;
	if (digits == 2)
		year += year < 50 ? 2000 : 1900;
	else if (digits == 3)
		year += 1900;
	*ret = year;
	return true;
}

static bool take_rfc822_zone(slice *s, int *ret)
{
	static const struct {
		const char *name;
		int hours;
	} zones[] = {{"GMT", 0}, {"UT", 0}, {"UTC", 0}, {"Z", 0}, {"EST", -5}, {"EDT", -4},
		{"CST", -6}, {"CDT", -5}, {"MST", -7}, {"MDT", -6}, {"PST", -8}, {"PDT", -7}};
	slice word;

	if (next_is(*s, "+-"))
		return take_offset(s, ret);
	word = take_word(s);
	for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
		if (is_word(word, zones[i].name)) {
			*ret = zones[i].hours * 60;
			return true;
		}
	}
	return false;
}

/* 05 Jan 2017; RFC 850's hyphens too. */
static bool take_rfc822_date(slice *s, struct fields *f)
{
	if (!take_number(s, 1, 2, &f->time.day) || !(take(s, "-") || skip_blanks(s)))
		return false;
	return take_month(s, &f->time.month) && (take(s, "-") || skip_blanks(s)) &&
	       take_rfc822_year(s, &f->time.year) && skip_blanks(s);
}

int w3cdate_parse_rfc822(slice text, struct w3cdate *ret)
{
	struct fields f = {0};

	if (text.len > W3CDATE_TEXT_MAX)
		return ERR_SYNTAX;
	(void)skip_blanks(&text);
	if (take_word(&text).len > 0) {
		(void)take(&text, ",");
		(void)skip_blanks(&text);
	}
	if (!take_rfc822_date(&text, &f) || !take_time(&text, &f))
		return ERR_SYNTAX;
	(void)skip_blanks(&text);
	if (!take_rfc822_zone(&text, &f.offset))
		return ERR_SYNTAX;
	(void)skip_blanks(&text);
	return text.len ? ERR_SYNTAX : to_instant(&f, ret);
}

int w3cdate_parse_any(slice text, struct w3cdate *ret)
{
	int rc = w3cdate_parse(text, ret);

	return rc == ERR_SYNTAX ? w3cdate_parse_rfc822(text, ret) : rc;
}
