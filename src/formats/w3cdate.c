#include "formats/w3cdate.h"

#include "base/calendar.h"
#include "base/clock.h"
#include "base/date_cursor.h"
#include "base/err.h"

/* The fields as written. */
struct fields {
	struct calendar_time time;
	unsigned nanoseconds;
	int offset; /* minutes east of Greenwich */
	enum w3cdate_precision precision;
};

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
	size_t n = date_count_digits(*s);
	unsigned value = 0;

	if (n == 0)
		return false;
	for (size_t i = 0; i < 9; i++)
		value = value * 10 + (i < n ? (unsigned)(s->ptr[i] - '0') : 0);
	*s = slice_sub(*s, n, s->len);
	*ret = value;
	return true;
}

/* ±hh:mm, ±hhmm, ±hh */
static bool take_offset(slice *s, int *ret)
{
	bool west = date_next_is(*s, "-");
	unsigned hours, minutes = 0;

	if (!date_take(s, "+-") || !date_take_number(s, 2, 2, &hours))
		return false;
	if (date_take(s, ":") ? !date_take_number(s, 2, 2, &minutes)
			      : date_count_digits(*s) > 0 && !date_take_number(s, 2, 2, &minutes))
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

	(void)date_take_blanks(s);
	if (date_next_is(*s, "+-"))
		return take_offset(s, ret);
	word = date_take_letters(s);
	*ret = 0;
	return word.len == 0 || word_is(word, SLICE("Z")) || word_is(word, SLICE("UTC")) ||
	       word_is(word, SLICE("GMT"));
}

/* hh:mm, hh:mm:ss, hh:mm:ss.s…, or without the colons; the colons must be consistent. */
static bool take_time(slice *s, struct fields *f)
{
	bool colon;

	if (!date_take_number(s, 2, 2, &f->time.hour))
		return false;
	colon = date_take(s, ":");
	if (!date_take_number(s, 2, 2, &f->time.minute))
		return false;
	f->precision = W3CDATE_MINUTE;
	if (colon ? !date_take(s, ":") : date_count_digits(*s) == 0)
		return true;
	if (!date_take_number(s, 2, 2, &f->time.second))
		return false;
	f->precision = W3CDATE_SECOND;
	if (!date_take(s, ".,"))
		return true;
	f->precision = W3CDATE_FRACTION;
	return take_fraction(s, &f->nanoseconds);
}

/* YYYYMMDD, for which eight digits are needed: fewer are no date. */
static bool take_compact_date(slice *s, struct fields *f)
{
	f->precision = W3CDATE_DAY;
	return date_count_digits(*s) == 8 && date_take_number(s, 4, 4, &f->time.year) &&
	       date_take_number(s, 2, 2, &f->time.month) && date_take_number(s, 2, 2, &f->time.day);
}

/* YYYY, YYYY-MM, YYYY-MM-DD */
static bool take_date(slice *s, struct fields *f)
{
	char separator[2] = {0};

	f->time.month = f->time.day = 1;
	if (date_count_digits(*s) > 4)
		return take_compact_date(s, f);
	if (!date_take_number(s, 4, 4, &f->time.year))
		return false;
	f->precision = W3CDATE_YEAR;
	if (!date_next_is(*s, "-/."))
		return true;
	separator[0] = s->ptr[0];
	*s = slice_sub(*s, 1, s->len);
	if (!date_take_number(s, 1, 2, &f->time.month))
		return false;
	f->precision = W3CDATE_MONTH;
	if (!date_take(s, separator))
		return true;
	f->precision = W3CDATE_DAY;
	return date_take_number(s, 1, 2, &f->time.day);
}

int w3cdate_parse(slice text, struct w3cdate *ret)
{
	struct fields f = {0};
	bool timed;

	if (text.len > W3CDATE_TEXT_MAX)
		return ERR_SYNTAX;
	(void)date_take_blanks(&text);
	if (!take_date(&text, &f))
		return ERR_SYNTAX;
	timed = date_take(&text, "Tt") || (date_take_blanks(&text) && date_count_digits(text) > 0);
	if (timed && (f.precision < W3CDATE_DAY || !take_time(&text, &f)))
		return ERR_SYNTAX;
	if (f.precision >= W3CDATE_DAY && !take_w3c_zone(&text, &f.offset))
		return ERR_SYNTAX;
	(void)date_take_blanks(&text);
	return text.len ? ERR_SYNTAX : to_instant(&f, ret);
}

/* Longer names are written out: "June", "Sept". */
static bool take_month(slice *s, unsigned *ret)
{
	*ret = date_month(date_take_letters(s));
	return *ret > 0;
}

/* RFC 2822 §4.3: two digits mean 1950 to 2049, three are counted from 1900. */
static bool take_rfc822_year(slice *s, unsigned *ret)
{
	size_t digits = date_count_digits(*s);
	unsigned year;

	if (digits > 4 || !date_take_number(s, 2, 4, &year))
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

	if (date_next_is(*s, "+-"))
		return take_offset(s, ret);
	word = date_take_letters(s);
	for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
		if (word_is(word, slice_str(zones[i].name))) {
			*ret = zones[i].hours * 60;
			return true;
		}
	}
	return false;
}

/* 05 Jan 2017; RFC 850's hyphens too. */
static bool take_rfc822_date(slice *s, struct fields *f)
{
	if (!date_take_number(s, 1, 2, &f->time.day) || !(date_take(s, "-") || date_take_blanks(s)))
		return false;
	return take_month(s, &f->time.month) && (date_take(s, "-") || date_take_blanks(s)) &&
	       take_rfc822_year(s, &f->time.year) && date_take_blanks(s);
}

int w3cdate_parse_rfc822(slice text, struct w3cdate *ret)
{
	struct fields f = {0};

	if (text.len > W3CDATE_TEXT_MAX)
		return ERR_SYNTAX;
	(void)date_take_blanks(&text);
	if (date_take_letters(&text).len > 0) {
		(void)date_take(&text, ",");
		(void)date_take_blanks(&text);
	}
	if (!take_rfc822_date(&text, &f) || !take_time(&text, &f))
		return ERR_SYNTAX;
	(void)date_take_blanks(&text);
	if (!take_rfc822_zone(&text, &f.offset))
		return ERR_SYNTAX;
	(void)date_take_blanks(&text);
	return text.len ? ERR_SYNTAX : to_instant(&f, ret);
}

int w3cdate_parse_any(slice text, struct w3cdate *ret)
{
	int rc = w3cdate_parse(text, ret);

	return rc == ERR_SYNTAX ? w3cdate_parse_rfc822(text, ret) : rc;
}
