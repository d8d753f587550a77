#include "base/json_cursor.h"

#include "base/parse.h"

enum { DEPTH_MAX = 64 };

int json_cursor_fail(struct json_cursor *c, const char *expected)
{
	return err_set(c->err, ERR_SYNTAX, "byte %zu: %s expected", c->at + 1, expected);
}

int json_cursor_peek(struct json_cursor *c)
{
	while (c->at < c->text.len && c->text.ptr[c->at] && strchr(" \t\r\n", c->text.ptr[c->at]))
		c->at++;
	return c->at < c->text.len ? (unsigned char)c->text.ptr[c->at] : -1;
}

bool json_cursor_take(struct json_cursor *c, char byte)
{
	if (json_cursor_peek(c) != (unsigned char)byte)
		return false;
	c->at++;
	return true;
}

static bool take_word(struct json_cursor *c, slice word)
{
	(void)json_cursor_peek(c);
	if (!slice_starts_with(slice_sub(c->text, c->at, c->text.len), word))
		return false;
	c->at += word.len;
	return true;
}

int json_cursor_string(struct json_cursor *c, slice *ret)
{
	size_t start;

	if (!json_cursor_take(c, '"'))
		return json_cursor_fail(c, "a string");
	for (start = c->at; c->at < c->text.len && c->text.ptr[c->at] != '"'; c->at++) {
		if ((unsigned char)c->text.ptr[c->at] < ' ')
			return json_cursor_fail(c, "an escaped control character");
		if (c->text.ptr[c->at] == '\\')
			c->at++;
	}
	if (c->at >= c->text.len) {
		c->at = c->text.len;
		return json_cursor_fail(c, "the end of the string");
	}
	*ret = slice_sub(c->text, start, c->at++);
	return 0;
}

int json_cursor_number(struct json_cursor *c, double *ret)
{
	size_t start;
	int rc;

	(void)json_cursor_peek(c);
	for (start = c->at; c->at < c->text.len && c->text.ptr[c->at] &&
			    strchr("+-.0123456789Ee", c->text.ptr[c->at]);)
		c->at++;
	rc = parse_double(slice_sub(c->text, start, c->at), ret);
	c->at = rc ? start : c->at;
	if (rc == ERR_RANGE)
		return err_set(c->err, rc, "byte %zu: the number is too large", start + 1);
	return rc ? json_cursor_fail(c, "a number") : 0;
}

/* "key": value, … up to the brace; or value, … up to the bracket. */
static int skip_members(struct json_cursor *c, bool keys, char end)
{
	slice key;
	int rc = 0;

	if (json_cursor_take(c, end))
		return 0;
	do {
		if (keys)
			rc = json_cursor_string(c, &key);
		if (rc == 0 && keys && !json_cursor_take(c, ':'))
			rc = json_cursor_fail(c, "a colon");
		if (rc == 0)
			rc = json_cursor_skip(c);
	} while (rc == 0 && json_cursor_take(c, ','));
	if (rc || json_cursor_take(c, end))
		return rc;
	return json_cursor_fail(c, "a comma or the end of the list");
}

/* NOLINTNEXTLINE(misc-no-recursion): no deeper than DEPTH_MAX */
int json_cursor_skip(struct json_cursor *c)
{
	bool object;
	slice text;
	double number;
	int rc;

	if (c->depth >= DEPTH_MAX)
		return err_set(c->err, ERR_LIMIT, "byte %zu: nested too deeply", c->at + 1);
	if (take_word(c, SLICE("true")) || take_word(c, SLICE("false")) ||
		take_word(c, SLICE("null")))
		return 0;
	if (json_cursor_peek(c) == '"')
		return json_cursor_string(c, &text);
	object = json_cursor_take(c, '{');
	if (!object && !json_cursor_take(c, '['))
		return json_cursor_number(c, &number);
	c->depth++;
	rc = skip_members(c, object, object ? '}' : ']');
	c->depth--;
	return rc;
}
