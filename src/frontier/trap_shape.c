#include "frontier/trap_shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/word.h"
#include "url/percent.h"

enum {
	TOKEN_MIN = 16,      /* letters and digits, mixed */
	HEX_MIN = 8,         /* hexadecimal digits, mixed */
	TOKEN_TURNS_MIN = 3, /* from letter to digit or back */
	UUID_LEN = 36,
	SESSION_MIN = 16,  /* bytes of an id */
	SESSION_MAX = 128, /* of name and id in a path that are looked at */
	YEAR_LEN = 4,
};

static bool is_digit(char c)
{
	return url_byte_is(c, URL_DIGIT);
}

static bool is_alnum(char c)
{
	return url_byte_is(c, URL_ALPHA | URL_DIGIT);
}

/* ---- session ids ---- */

/* Names of fields that carry one, in lower case. */
static bool is_session_name(slice name)
{
	static const char *const NAMES[] = {"jsessionid", "phpsessid", "sessionid", "session_id",
		"sessid", "sid", "cfid", "cftoken", "zenid", "oscsid"};

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
		if (url_equal_nocase(name, slice_str(NAMES[i])))
			return true;
	return name.len > sizeof "aspsessionid" - 1 &&
	       url_equal_nocase(
		       slice_sub(name, 0, sizeof "aspsessionid" - 1), SLICE("aspsessionid"));
}

/* Long, and of letters and digits: a story's number is not. ColdFusion's are short. */
static bool is_session_value(slice name, slice value)
{
	bool is_coldfusion = name.len > 1 && (name.ptr[0] | 0x20) == 'c';
	size_t digits = 0;

	if (is_coldfusion && value.len > 0)
		return true;
	for (size_t i = 0; i < value.len; i++) {
		if (!is_alnum(value.ptr[i]) && !strchr("-_.!", value.ptr[i]))
			return false;
		digits += is_digit(value.ptr[i]);
	}
	return value.len >= SESSION_MIN && digits > 0;
}

/* "name=value" */
static bool is_session_field(slice field)
{
	const char *equals = field.len ? memchr(field.ptr, '=', field.len) : NULL;
	size_t len = equals ? (size_t)(equals - field.ptr) : field.len;
	slice name = slice_sub(field, 0, len);

	return equals && is_session_name(name) &&
	       is_session_value(name, slice_sub(field, len + 1, field.len));
}

/* Up to the next separator, which is stepped over. */
static slice next_field(slice *rest)
{
	size_t len = 0;
	slice field;

	while (len < rest->len && rest->ptr[len] != '&')
		len++;
	field = slice_sub(*rest, 0, len);
	*rest = slice_sub(*rest, len + 1, rest->len);
	return field;
}

/* Behind a segment: ";jsessionid=…". Where it begins, or the end of the path. */
static size_t find_path_session(slice path)
{
	for (size_t i = 0; i < path.len; i++) {
		slice rest = slice_sub(path, i + 1, i + 1 + SESSION_MAX);

		if (path.ptr[i] == ';' && is_session_field(rest))
			return i;
	}
	return path.len;
}

/* The URL without its session id; false when it has none, and out is as it was. */
static bool strip_session(struct buf *out, const struct url *u, int *rc)
{
	slice path = url_part(u, u->path), rest = url_part(u, u->query);
	size_t cut = find_path_session(path), start = out->len;
	bool found = cut < path.len;
	char before = '?';

	*rc = buf_add(out, slice_sub(path, 0, cut));
	while (*rc == 0 && rest.len > 0) {
		slice field = next_field(&rest);

		if (is_session_field(field)) {
			found = true;
			continue;
		}
		*rc = buf_add_char(out, before);
		if (*rc == 0)
			*rc = buf_add(out, field);
		before = '&';
	}
	if (!found)
		buf_truncate(out, start);
	return found;
}

/* ---- segments that repeat themselves ---- */

struct segments {
	slice list[TRAP_SEGMENTS_MAX];
	size_t count;
};

static void split(slice path, struct segments *ret)
{
	size_t from = 1;

	ret->count = 0;
	for (size_t i = 1; i <= path.len && ret->count < TRAP_SEGMENTS_MAX; i++)
		if (i == path.len || path.ptr[i] == '/') {
			if (i > from)
				ret->list[ret->count++] = slice_sub(path, from, i);
			from = i + 1;
		}
}

static bool has_letter(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!is_digit(s.ptr[i]))
			return true;
	return false;
}

/* Segments [at, at + period) come again right behind themselves, often enough. */
static bool repeats_at(const struct segments *s, size_t at, size_t period)
{
	bool has_name = false;

	if (at + period * TRAP_REPEATS > s->count)
		return false;
	for (size_t i = at; i < at + period * (TRAP_REPEATS - 1); i++)
		if (!slice_eq(s->list[i], s->list[i + period]))
			return false;
	/* Tiles of maps are at /0/0/0. */
	for (size_t i = at; i < at + period; i++)
		has_name = has_name || has_letter(s->list[i]);
	return has_name;
}

/* Anywhere in the path: what leads now here, now there, need not do so in turns. */
static bool occurs_often(const struct segments *s, size_t at)
{
	size_t count = 0;

	for (size_t i = at; i < s->count; i++)
		count += slice_eq(s->list[i], s->list[at]);
	return count >= TRAP_OCCURRENCES && has_letter(s->list[at]);
}

static bool has_repeats(slice path)
{
	struct segments s;

	split(path, &s);
	for (size_t at = 0; at < s.count; at++)
		if (occurs_often(&s, at))
			return true;
	for (size_t period = 1; period <= TRAP_PERIOD_MAX; period++)
		for (size_t at = 0; at + period * TRAP_REPEATS <= s.count; at++)
			if (repeats_at(&s, at, period))
				return true;
	return false;
}

/* ---- masking ---- */

struct masks {
	size_t numbers, years, tokens;
};

static bool is_uuid(slice s)
{
	if (s.len < UUID_LEN)
		return false;
	for (size_t i = 0; i < UUID_LEN; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s.ptr[i] != '-' : word_hex(s.ptr[i]) < 0)
			return false;
	}
	return s.len == UUID_LEN || !is_alnum(s.ptr[UUID_LEN]);
}

/* A run of letters and digits that nobody made up: a digest, a key, an id. */
static bool is_token(slice run)
{
	size_t turns = 0, hex = 0, digits = 0;

	for (size_t i = 0; i < run.len; i++) {
		turns += i > 0 && is_digit(run.ptr[i]) != is_digit(run.ptr[i - 1]);
		hex += word_hex(run.ptr[i]) >= 0;
		digits += is_digit(run.ptr[i]);
	}
	if (run.len >= HEX_MIN && hex == run.len && digits > 0 && digits < run.len)
		return true;
	return run.len >= TOKEN_MIN && turns >= TOKEN_TURNS_MIN;
}

static void count_number(struct masks *m, slice digits)
{
	m->numbers++;
	m->years += digits.len == YEAR_LEN && (digits.ptr[0] == '1' || digits.ptr[0] == '2');
}

/* A run of letters and digits, its digits masked. */
static int add_run(struct buf *out, slice run, struct masks *m)
{
	int rc = 0;

	if (is_token(run)) {
		m->tokens++;
		return buf_add_char(out, '*');
	}
	for (size_t i = 0, end; rc == 0 && i < run.len; i = end) {
		for (end = i + 1; end < run.len && is_digit(run.ptr[end]) == is_digit(run.ptr[i]);)
			end++;
		if (is_digit(run.ptr[i])) {
			count_number(m, slice_sub(run, i, end));
			rc = buf_add_char(out, '#');
		} else {
			rc = buf_add(out, slice_sub(run, i, end));
		}
	}
	return rc;
}

static size_t run_length(slice s)
{
	size_t len = 0;

	while (len < s.len && is_alnum(s.ptr[len]))
		len++;
	return len;
}

/* "2031-05-12", "12.5.2031" and "1,2" are one number. */
static void join_numbers(struct buf *out)
{
	while (out->len >= 3 && out->ptr[out->len - 1] == '#' &&
		strchr("-.,_:", out->ptr[out->len - 2]) && out->ptr[out->len - 3] == '#')
		buf_truncate(out, out->len - 2);
}

static int add_masked(struct buf *out, slice s, struct masks *m)
{
	int rc = 0;

	while (rc == 0 && s.len > 0) {
		size_t len = run_length(s);

		if (is_uuid(s)) {
			len = UUID_LEN;
			m->tokens++;
			rc = buf_add_char(out, '*');
		} else if (s.ptr[0] == '%') {
			len = s.len < 3 ? s.len : 3; /* an escape is no number */
			rc = buf_add(out, slice_sub(s, 0, len));
		} else if (len > 0) {
			rc = add_run(out, slice_sub(s, 0, len), m);
			join_numbers(out);
		} else {
			len = 1;
			rc = buf_add_char(out, s.ptr[0]);
		}
		s = slice_sub(s, len, s.len);
	}
	return rc;
}

/* ---- queries ---- */

static int by_name(const void *a, const void *b)
{
	const slice *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int order = len ? memcmp(x->ptr, y->ptr, len) : 0;

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static slice name_of(slice field)
{
	const char *equals = field.len ? memchr(field.ptr, '=', field.len) : NULL;

	return slice_sub(field, 0, equals ? (size_t)(equals - field.ptr) : field.len);
}

static bool is_date_name(slice name)
{
	static const char *const NAMES[] = {"year", "month", "day", "week", "date", "yr", "mon",
		"y", "m", "d", "cal", "calendar"};

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
		if (url_equal_nocase(name, slice_str(NAMES[i])))
			return true;
	return false;
}

/* The names of the fields, sorted, each once; ret_dated when one of them speaks of a date. */
static int add_query(struct buf *out, slice query, bool *ret_dated, struct masks *m)
{
	slice names[TRAP_FIELDS_MAX] = {{0}};
	size_t count = 0;
	char before = '?';
	int rc = 0;

	while (query.len > 0 && count < TRAP_FIELDS_MAX) {
		names[count] = name_of(next_field(&query));
		count += names[count].len > 0;
	}
	qsort(names, count, sizeof names[0], by_name);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		if (i > 0 && slice_eq(names[i], names[i - 1]))
			continue;
		*ret_dated = *ret_dated || is_date_name(names[i]);
		rc = buf_add_char(out, before);
		if (rc == 0)
			rc = add_masked(out, names[i], m);
		before = '&';
	}
	return rc;
}

/* ---- all of it ---- */

static int mask(struct buf *out, const struct url *u, struct trap_shape *ret)
{
	struct masks m = {0}, names = {0};
	bool dated = false;
	int rc = add_masked(out, url_part(u, u->path), &m);

	ret->path = out->len;
	if (rc == 0 && u->query.len > 0)
		rc = add_query(out, url_part(u, u->query), &dated, &names);
	if (u->query.len > 0)
		ret->kind = dated ? TRAP_CALENDAR : TRAP_PARAMETERS;
	else if (m.numbers >= 2 && m.years > 0)
		ret->kind = TRAP_CALENDAR;
	else
		ret->kind = m.numbers + m.tokens > 0 ? TRAP_COUNTER : TRAP_PLAIN;
	return rc;
}

/* Up to the end of the first directory, or of the root. */
static size_t find_section(slice text, size_t origin, size_t path)
{
	for (size_t i = origin + 1; text.ptr && i < path; i++)
		if (text.ptr[i] == '/')
			return i + 1;
	return origin < path ? origin + 1 : origin;
}

int trap_shape(struct buf *out, const struct url *u, struct trap_shape *ret)
{
	size_t origin;
	int rc;

	buf_reset(out);
	rc = buf_add(out, slice_sub(url_text(u), 0, u->authority_end));
	origin = out->len;
	*ret = (struct trap_shape){.kind = TRAP_SEGMENTS, .path = origin};
	if (rc == 0 && strip_session(out, u, &rc))
		ret->kind = TRAP_SESSION;
	else if (rc == 0 && !has_repeats(url_part(u, u->path)))
		rc = mask(out, u, ret);
	if (ret->kind == TRAP_SESSION)
		ret->path = out->len;
	ret->text = buf_slice(out);
	ret->section = find_section(ret->text, origin, ret->path);
	return rc;
}
