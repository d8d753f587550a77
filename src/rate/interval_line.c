#include "rate/interval_line.h"

#include "base/parse.h"

enum { DEPTH_MAX = 64 };

struct cursor {
	slice text;
	size_t at;
	unsigned depth;
	struct err *err;
};

static int fail(struct cursor *c, const char *expected)
{
	return err_set(c->err, ERR_SYNTAX, "byte %zu: %s expected", c->at + 1, expected);
}

/* The next byte that is no blank, or -1 at the end. */
static int peek(struct cursor *c)
{
	while (c->at < c->text.len && strchr(" \t\r\n", c->text.ptr[c->at]) && c->text.ptr[c->at])
		c->at++;
	return c->at < c->text.len ? (unsigned char)c->text.ptr[c->at] : -1;
}

static bool take(struct cursor *c, char byte)
{
	if (peek(c) != (unsigned char)byte)
		return false;
	c->at++;
	return true;
}

static bool take_word(struct cursor *c, slice word)
{
	(void)peek(c);
	if (!slice_starts_with(slice_sub(c->text, c->at, c->text.len), word))
		return false;
	c->at += word.len;
	return true;
}

/* What stands between the quotes, escapes as they are. */
static int take_string(struct cursor *c, slice *ret)
{
	size_t start;

	if (!take(c, '"'))
		return fail(c, "a string");
	for (start = c->at; c->at < c->text.len && c->text.ptr[c->at] != '"'; c->at++) {
		if ((unsigned char)c->text.ptr[c->at] < ' ')
			return fail(c, "an escaped control character");
		if (c->text.ptr[c->at] == '\\')
			c->at++;
	}
	if (c->at >= c->text.len) {
		c->at = c->text.len;
		return fail(c, "the end of the string");
	}
	*ret = slice_sub(c->text, start, c->at++);
	return 0;
}

static int take_number(struct cursor *c, double *ret)
{
	size_t start;
	slice digits;
	int rc;

	(void)peek(c);
	for (start = c->at; c->at < c->text.len && c->text.ptr[c->at] &&
			    strchr("+-.0123456789Ee", c->text.ptr[c->at]);)
		c->at++;
	digits = slice_sub(c->text, start, c->at);
	rc = parse_double(digits, ret);
	c->at = rc ? start : c->at;
	if (rc == ERR_RANGE)
		return err_set(c->err, rc, "byte %zu: the number is too large", start + 1);
	return rc ? fail(c, "a number") : 0;
}

static int skip_value(struct cursor *c);

/* "key": value, … up to the brace; or value, … up to the bracket. */
static int skip_members(struct cursor *c, bool keys, char end)
{
	slice key;
	int rc = 0;

	if (take(c, end))
		return 0;
	do {
		if (keys)
			rc = take_string(c, &key);
		if (rc == 0 && keys && !take(c, ':'))
			rc = fail(c, "a colon");
		if (rc == 0)
			rc = skip_value(c);
	} while (rc == 0 && take(c, ','));
	return rc || take(c, end) ? rc : fail(c, "a comma or the end of the list");
}

/* NOLINTNEXTLINE(misc-no-recursion): no deeper than DEPTH_MAX */
static int skip_value(struct cursor *c)
{
	slice text;
	double number;
	int rc;

	if (c->depth >= DEPTH_MAX)
		return err_set(c->err, ERR_LIMIT, "byte %zu: nested too deeply", c->at + 1);
	if (take_word(c, SLICE("true")) || take_word(c, SLICE("false")) ||
		take_word(c, SLICE("null")))
		return 0;
	if (peek(c) == '"')
		return take_string(c, &text);
	if (peek(c) != '{' && peek(c) != '[')
		return take_number(c, &number);
	c->depth++;
	rc = take(c, '{') ? skip_members(c, true, '}') : (c->at++, skip_members(c, false, ']'));
	c->depth--;
	return rc;
}

static int take_changed(struct cursor *c, bool *ret)
{
	double number;
	int rc;

	*ret = take_word(c, SLICE("true"));
	if (*ret || take_word(c, SLICE("false")))
		return 0;
	rc = take_number(c, &number);
	if (rc == 0)
		*ret = number != 0;
	return rc == ERR_SYNTAX ? fail(c, "true or false") : rc;
}

static int take_interval(struct cursor *c, struct rate_intervals *out)
{
	struct rate_interval i = {0};
	int rc;

	if (!take(c, '['))
		return fail(c, "[length, changed]");
	rc = take_number(c, &i.length);
	if (rc == 0 && !take(c, ','))
		rc = fail(c, "a comma");
	if (rc == 0)
		rc = take_changed(c, &i.changed);
	if (rc == 0 && !take(c, ']'))
		rc = fail(c, "]");
	return rc ? rc : rate_intervals_push(out, i);
}

static int take_intervals(struct cursor *c, struct rate_intervals *out)
{
	int rc;

	out->len = 0;
	if (!take(c, '['))
		return fail(c, "a list of intervals");
	if (take(c, ']'))
		return 0;
	do
		rc = take_interval(c, out);
	while (rc == 0 && take(c, ','));
	return rc || take(c, ']') ? rc : fail(c, "a comma or the end of the list");
}

static int take_members(struct cursor *c, struct rate_intervals *out)
{
	bool found = false;
	slice key = {0};
	int rc;

	if (!take(c, '{'))
		return fail(c, "an object");
	if (!take(c, '}')) {
		do {
			rc = take_string(c, &key);
			if (rc)
				return rc;
			if (!take(c, ':'))
				return fail(c, "a colon");
			found = found || slice_eq(key, SLICE("intervals"));
			rc = slice_eq(key, SLICE("intervals")) ? take_intervals(c, out)
							       : skip_value(c);
			if (rc)
				return rc;
		} while (take(c, ','));
		if (!take(c, '}'))
			return fail(c, "a comma or the end of the object");
	}
	if (peek(c) >= 0)
		return fail(c, "the end of the line");
	return found ? 0 : err_set(c->err, ERR_SYNTAX, "\"intervals\" is missing");
}

int rate_interval_line(slice line, struct rate_intervals *out, struct err *err)
{
	struct cursor c = {.text = line, .err = err};

	out->len = 0;
	return err_code(err, take_members(&c, out));
}
