#include "base/json_cursor.h"

#include "base/parse.h"

enum { DEPTH_MAX = 64 };

int json_cursor_fail(struct json_cursor *c, const char *expected)
{
	return err_set(c->err, ERR_SYNTAX, "byte %zu: %s expected", c->at + 1, expected);
}

/* The next byte that is no blank, or -1 at the end. */
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

bool json_cursor_word(struct json_cursor *c, slice word)
{
	(void)json_cursor_peek(c);
	if (!slice_starts_with(slice_sub(c->text, c->at, c->text.len), word))
		return false;
	c->at += word.len;
	return true;
}

/* What stands between the quotes, escapes as they are; lies in the text. */
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

int json_cursor_list(
	struct json_cursor *c, const char *what, json_cursor_element *element, void *context)
{
	int rc;

	if (!json_cursor_take(c, '['))
		return json_cursor_fail(c, what);
	if (json_cursor_take(c, ']'))
		return 0;
	do
		rc = element(context, c);
	while (rc == 0 && json_cursor_take(c, ','));
	if (rc || json_cursor_take(c, ']'))
		return rc;
	return json_cursor_fail(c, "a comma or the end of the list");
}

int json_cursor_members(struct json_cursor *c, json_cursor_member *member, void *context)
{
	int rc;

	if (!json_cursor_take(c, '{'))
		return json_cursor_fail(c, "an object");
	if (json_cursor_take(c, '}'))
		return 0;
	do {
		slice key = {0};

		rc = json_cursor_string(c, &key);
		if (rc == 0 && !json_cursor_take(c, ':'))
			rc = json_cursor_fail(c, "a colon");
		if (rc == 0)
			rc = member(context, c, key);
	} while (rc == 0 && json_cursor_take(c, ','));
	if (rc || json_cursor_take(c, '}'))
		return rc;
	return json_cursor_fail(c, "a comma or the end of the object");
}

int json_cursor_object(struct json_cursor *c, json_cursor_member *member, void *context)
{
	int rc = json_cursor_members(c, member, context);

	if (rc || json_cursor_peek(c) < 0)
		return rc;
	return json_cursor_fail(c, "the end of the line");
}

static int skip_element(void *context, struct json_cursor *c)
{
	(void)context;
	return json_cursor_skip(c);
}

static int skip_member(void *context, struct json_cursor *c, slice key)
{
	(void)context;
	(void)key;
	return json_cursor_skip(c);
}

/* Calls itself for what is nested, no deeper than DEPTH_MAX. */
int json_cursor_skip(struct json_cursor *c)
{
	slice text;
	double number;
	int next = json_cursor_peek(c), rc;

	if (c->depth >= DEPTH_MAX)
		return err_set(c->err, ERR_LIMIT, "byte %zu: nested too deeply", c->at + 1);
	if (json_cursor_word(c, SLICE("true")) || json_cursor_word(c, SLICE("false")) ||
		json_cursor_word(c, SLICE("null")))
		return 0;
	if (next == '"')
		return json_cursor_string(c, &text);
	if (next != '{' && next != '[')
		return json_cursor_number(c, &number);
	c->depth++;
	rc = next == '{' ? json_cursor_members(c, skip_member, NULL)
			 : json_cursor_list(c, "", skip_element, NULL);
	c->depth--;
	return rc;
}
