#include "net/cookie.h"

#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/parse.h"
#include "base/word.h"
#include "http/fields.h"

enum { FILE_FIELDS = 7, TM_YEAR_BASE = 1900 };

/* What is before the first c; *text is what is behind it, empty when there is none. */
static slice take_until(slice *text, char c)
{
	const char *at = text->len ? memchr(text->ptr, c, text->len) : NULL;
	size_t len = at ? (size_t)(at - text->ptr) : text->len;
	slice part = slice_sub(*text, 0, len);

	*text = slice_sub(*text, len + 1, text->len);
	return part;
}

/* ---- dates ---- */

/* %x09 / %x20-2F / %x3B-40 / %x5B-60 / %x7B-7E */
static bool is_delimiter(char c)
{
	return c == '\t' || (c >= ' ' && c <= '/') || (c >= ';' && c <= '@') ||
	       (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

static slice next_token(slice *text)
{
	size_t from = 0, to;

	while (from < text->len && is_delimiter(text->ptr[from]))
		from++;
	for (to = from; to < text->len && !is_delimiter(text->ptr[to]); to++)
		;
	slice token = slice_sub(*text, from, to);

	*text = slice_sub(*text, to, text->len);
	return token;
}

/* So many digits at the start, no fewer and no more; what follows them does not count. */
static bool read_digits(slice token, size_t least, size_t most, int *ret, size_t *ret_len)
{
	size_t len = 0;
	int value = 0;

	for (; len < token.len && word_is_digit(token.ptr[len]); len++) {
		if (len == most)
			return false;
		value = value * 10 + (token.ptr[len] - '0');
	}
	if (len < least)
		return false;
	*ret = value;
	*ret_len = len;
	return true;
}

static bool read_time(slice token, struct tm *tm)
{
	int *const parts[] = {&tm->tm_hour, &tm->tm_min, &tm->tm_sec};
	size_t len;

	for (size_t i = 0; i < 3; i++) {
		if (i > 0) {
			if (token.len == 0 || token.ptr[0] != ':')
				return false;
			token = slice_sub(token, 1, token.len);
		}
		if (!read_digits(token, 1, 2, parts[i], &len))
			return false;
		token = slice_sub(token, len, token.len);
	}
	return true;
}

static bool read_month(slice token, struct tm *tm)
{
	static const slice MONTHS[] = {SLICE_INIT("jan"), SLICE_INIT("feb"), SLICE_INIT("mar"),
		SLICE_INIT("apr"), SLICE_INIT("may"), SLICE_INIT("jun"), SLICE_INIT("jul"),
		SLICE_INIT("aug"), SLICE_INIT("sep"), SLICE_INIT("oct"), SLICE_INIT("nov"),
		SLICE_INIT("dec")};

	for (int i = 0; i < 12; i++)
		if (word_starts(token, MONTHS[i])) {
			tm->tm_mon = i;
			return true;
		}
	return false;
}

static bool read_year(slice token, struct tm *tm)
{
	size_t len;
	int year;

	if (!read_digits(token, 2, 4, &year, &len))
		return false;
	if (year < 100)
		year += year >= 70 ? 1900 : 2000;
	tm->tm_year = year - TM_YEAR_BASE;
	return true;
}

int cookie_parse_date(slice text, int64_t *ret)
{
	bool has_time = false, has_day = false, has_month = false, has_year = false;
	struct tm tm = {0};
	slice token;
	size_t len;

	while ((token = next_token(&text)).len > 0) {
		if (!has_time && read_time(token, &tm))
			has_time = true;
		else if (!has_day && read_digits(token, 1, 2, &tm.tm_mday, &len))
			has_day = true;
		else if (!has_month && read_month(token, &tm))
			has_month = true;
		else if (!has_year && read_year(token, &tm))
			has_year = true;
	}
	if (!has_time || !has_day || !has_month || !has_year || tm.tm_mday < 1 || tm.tm_mday > 31 ||
		tm.tm_year + TM_YEAR_BASE < 1601 || tm.tm_hour > 23 || tm.tm_min > 59 ||
		tm.tm_sec > 59)
		return ERR_SYNTAX;
	*ret = (int64_t)timegm(&tm);
	return 0;
}

/* ---- Set-Cookie ---- */

/* Seconds from now on: anything but digits says nothing, too many say for ever. */
static bool read_max_age(slice value, int64_t now, int64_t *ret)
{
	bool is_past = value.len > 0 && value.ptr[0] == '-';
	slice digits = slice_sub(value, is_past, value.len);
	uint64_t seconds;
	int rc = parse_u64(digits, &seconds);

	if (rc == ERR_SYNTAX || digits.len == 0)
		return false;
	if (is_past || (rc == 0 && seconds == 0))
		*ret = 0;
	else
		*ret = rc || seconds > (uint64_t)(COOKIE_FOREVER - now) ? COOKIE_FOREVER
									: now + (int64_t)seconds;
	return true;
}

static void apply_attribute(
	struct cookie *c, slice name, slice value, int64_t now, bool *has_max_age)
{
	int64_t expires;

	if (word_is(name, SLICE("expires"))) {
		if (!*has_max_age && cookie_parse_date(value, &expires) == 0)
			c->expires = expires;
	} else if (word_is(name, SLICE("max-age"))) {
		*has_max_age = read_max_age(value, now, &c->expires) || *has_max_age;
	} else if (word_is(name, SLICE("domain"))) {
		c->domain = slice_sub(value, value.len > 0 && value.ptr[0] == '.', value.len);
		c->for_subdomains = c->domain.len > 0;
	} else if (word_is(name, SLICE("path"))) {
		c->path = value.len > 0 && value.ptr[0] == '/' ? value : (slice){0};
	} else if (word_is(name, SLICE("secure"))) {
		c->secure = true;
	}
}

int cookie_parse(slice text, int64_t now, struct cookie *ret)
{
	struct cookie c = {.expires = COOKIE_FOREVER};
	slice pair = take_until(&text, ';');
	bool has_max_age = false;

	if (pair.len == 0 || !memchr(pair.ptr, '=', pair.len))
		return ERR_SYNTAX;
	c.name = fields_trim(take_until(&pair, '='));
	c.value = fields_trim(pair);
	if (c.name.len == 0 || !fields_is_value(c.name) || !fields_is_value(c.value))
		return ERR_SYNTAX;
	while (text.len > 0) {
		slice attribute = take_until(&text, ';');
		slice name = fields_trim(take_until(&attribute, '='));

		if (fields_is_value(attribute))
			apply_attribute(&c, name, fields_trim(attribute), now, &has_max_age);
	}
	*ret = c;
	return 0;
}

/* ---- files ---- */

static bool is_true(slice word)
{
	return word_is(word, SLICE("true"));
}

int cookie_parse_line(slice line, struct cookie *ret)
{
	slice fields[FILE_FIELDS] = {0};
	uint64_t expires;
	size_t count = 0;

	if (line.len > 0 && line.ptr[line.len - 1] == '\r')
		line = slice_sub(line, 0, line.len - 1);
	if (word_starts(line, SLICE("#HttpOnly_")))
		line = slice_sub(line, strlen("#HttpOnly_"), line.len);
	if (line.len == 0 || line.ptr[0] == '#')
		return ERR_END;
	/* The last field is the value, which may be empty, and its tab left out. */
	for (; count < FILE_FIELDS && (line.len > 0 || count == FILE_FIELDS - 1); count++)
		fields[count] = count < FILE_FIELDS - 1 ? take_until(&line, '\t') : line;
	if (count < FILE_FIELDS || fields[0].len == 0 || fields[5].len == 0 || fields[2].len == 0 ||
		fields[2].ptr[0] != '/' || parse_u64(fields[4], &expires) ||
		!fields_is_value(fields[5]) || !fields_is_value(fields[6]))
		return ERR_SYNTAX;
	*ret = (struct cookie){
		.name = fields[5],
		.value = fields[6],
		.domain = slice_sub(fields[0], fields[0].ptr[0] == '.', fields[0].len),
		.path = fields[2],
		.expires = expires > 0 && expires < INT64_MAX ? (int64_t)expires : COOKIE_FOREVER,
		.secure = is_true(fields[3]),
		.for_subdomains = is_true(fields[1]),
	};
	return ret->domain.len > 0 ? 0 : ERR_SYNTAX;
}
