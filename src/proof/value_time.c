/*
 * Times as machines write them: counts of seconds since 1970 and of parts of them, ISO 8601, the
 * forms of HTTP, mail, ctime, JavaScript and of forums. One reader of words and numbers for all:
 * what names a day, a month, a year, a time of day or a zone is taken in any order that people use.
 */
#include <math.h>
#include <stdint.h>

#include "base/calendar.h"
#include "base/word.h"
#include "proof/values.h"

enum { TIME_TEXT_MAX = 80, YEAR_MIN = 1990, YEAR_MAX = 2060 };

struct reading {
	slice rest;
	unsigned year, month, day;
	unsigned hour, minute, second;
	int zone;        /* minutes east */
	bool is_tuesday; /* the month may be a day: mar. 17 nov. */
	bool has_clock, has_second, has_zone, is_pm, is_am;
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

/* Names in the languages of common programs. */
static const char *const MONTHS[12] = {
	"|january|jan|januar|jänner|janvier|janv|enero|ene|gennaio|gen|"
	"januari|janeiro|stycznia|sty|января|янв|",
	"|february|feb|februar|februari|février|févr|fév|febrero|febbraio|"
	"fevereiro|fev|lutego|lut|февраля|фев|",
	"|march|mar|märz|mär|mars|marzo|maart|mrt|março|marca|марта|мар|",
	"|april|apr|avril|avr|abril|abr|aprile|kwietnia|kwi|апреля|апр|",
	"|may|mai|mayo|maggio|mag|mei|maio|maja|maj|мая|май|",
	"|june|jun|juni|juin|junio|giugno|giu|junho|czerwca|cze|июня|июн|",
	"|july|jul|juli|juillet|juil|julio|luglio|lug|julho|lipca|lip|июля|"
	"июл|",
	"|august|aug|août|aoû|agosto|ago|augustus|sierpnia|sie|августа|авг|",
	"|september|sep|sept|septembre|septiembre|settembre|set|setembro|"
	"września|wrz|сентября|сен|сент|",
	"|october|oct|oktober|okt|octobre|octubre|ottobre|ott|outubro|out|"
	"października|paź|октября|окт|",
	"|november|nov|novembre|noviembre|novembro|listopada|lis|ноября|"
	"ноя|нояб|",
	"|december|dec|dezember|dez|décembre|déc|diciembre|dic|dicembre|"
	"dezembro|grudnia|gru|декабря|дек|"};
static const char OTHERS[] = /* days of the week, and words between */
	"|t|monday|mon|tuesday|tue|tues|wednesday|wed|thursday|thu|thurs|"
	"friday|fri|saturday|sat|sunday|sun|montag|mo|dienstag|di|mittwoch|"
	"mi|donnerstag|do|freitag|fr|samstag|sa|sonntag|so|lundi|lun|mardi|"
	"mar|mercredi|mer|jeudi|jeu|vendredi|ven|samedi|sam|dimanche|dim|"
	"lunes|martes|miércoles|mié|jueves|jue|viernes|vie|sábado|sáb|"
	"domingo|dom|maandag|ma|dinsdag|woensdag|wo|donderdag|vrijdag|vr|"
	"zaterdag|za|zondag|zo|пн|вт|ср|чт|пт|сб|вс|at|um|à|le|la|de|el|om|"
	"del|den|в|o|";

static unsigned month_of(slice word)
{
	for (unsigned i = 0; i < 12; i++)
		if (value_is_listed(word, MONTHS[i]))
			return i + 1;
	return 0;
}

static bool take_word(struct reading *r)
{
	size_t to = 0;
	slice word;

	while (to < r->rest.len &&
		(word_is_alpha(r->rest.ptr[to]) || (unsigned char)r->rest.ptr[to] >= 0x80))
		to++;
	word = slice_sub(r->rest, 0, to);
	r->rest = slice_sub(r->rest, to, r->rest.len);
	if (month_of(word) && (!r->month || r->is_tuesday)) {
		r->month = month_of(word);
		r->is_tuesday = word_is(word, SLICE("mar"));
		return true;
	}
	if (word_is(word, SLICE("am")) || word_is(word, SLICE("pm"))) {
		r->is_am = word_lower(word.ptr[0]) == 'a';
		r->is_pm = !r->is_am;
		return r->has_clock;
	}
	if (value_is_listed(word, OTHERS))
		return true;
	if (r->has_clock && !r->has_zone && to >= 1 && to <= 4 &&
		(to >= 2 || word_is(word, SLICE("z")))) {
		r->has_zone = word_is(word, SLICE("z")) || word_is(word, SLICE("gmt")) ||
			      word_is(word, SLICE("utc"));
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
		r->has_second = true;
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
			r->has_second = read_number(r->rest, &at, 2, &r->second);
	}
	r->rest = slice_sub(r->rest, at, r->rest.len);
	return true;
}

/* 11-17-2026 and 17/11/2026, where one of the two can be no month, and 17.11.2026. */
static bool take_year_last(struct reading *r)
{
	size_t at = 0;
	unsigned first, second, year;
	char c;

	if (!read_number(r->rest, &at, 2, &first) || at >= r->rest.len)
		return false;
	c = r->rest.ptr[at++];
	if ((c != '-' && c != '/' && c != '.') || !read_number(r->rest, &at, 2, &second) ||
		at >= r->rest.len || r->rest.ptr[at++] != c ||
		!read_number(r->rest, &at, 4, &year) || year < YEAR_MIN || r->year || r->month ||
		r->day || (c != '.' && (first > 12) == (second > 12)))
		return false;
	r->year = year;
	r->month = c == '.' || first > 12 ? second : first;
	r->day = c == '.' || first > 12 ? first : second;
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
		if (take_year_last(r))
			return true;
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
	if (digits == 6 && r->day && !r->has_clock) { /* 20261117T202936 */
		(void)read_number(r->rest, &at, 2, &r->hour);
		(void)read_number(r->rest, &at, 2, &r->minute);
		r->has_clock = r->has_second = read_number(r->rest, &at, 2, &r->second);
		r->rest = slice_sub(r->rest, at, r->rest.len);
		return true;
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
		else if (word_is_alpha(c) || (unsigned char)c >= 0x80)
			ok = take_word(r);
		else if ((c == '+' || c == '-') && r->has_clock)
			ok = take_zone(r);
		else {
			ok = c == ' ' || c == ',' ||
			     ((c == '-' || c == '.') && (r->day || r->month)) || c == '\n';
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
		ret_time->is_number = ret_time->has_seconds = true;
		ret_time->is_local = s.len == 18; /* ticks of .NET count from a local midnight */
		ret_time->is_round = fmod(ret_time->at, 60) == 0;
		return true;
	}
	if (!read_parts(&r) || ((r.is_am || r.is_pm) && (r.hour > 12 || r.hour == 0)))
		return false;
	if (r.is_pm && r.hour < 12)
		r.hour += 12;
	if (r.is_am && r.hour == 12)
		r.hour = 0;
	ret_time->has_seconds = r.has_second;
	ret_time->is_round = r.second == 0;
	ret_time->is_local = !r.has_zone;
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
