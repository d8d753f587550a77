#include "base/json_read.h"

#include "base/err.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "base/word.h"

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

void json_reader_init(struct json_reader *r, slice text, size_t max)
{
	*r = (struct json_reader){.rest = text, .size = text.len};
	buf_init(&r->key, max);
	buf_init(&r->text, max);
}

void json_reader_release(struct json_reader *r)
{
	buf_release(&r->key);
	buf_release(&r->text);
}

size_t json_reader_column(const struct json_reader *r)
{
	return r->size - r->rest.len + 1;
}

static void skip_blanks(struct json_reader *r)
{
	while (r->rest.len && word_is_space(r->rest.ptr[0]))
		r->rest = slice_sub(r->rest, 1, r->rest.len);
}

static bool take(struct json_reader *r, char c)
{
	skip_blanks(r);
	if (r->rest.len == 0 || r->rest.ptr[0] != c)
		return false;
	r->rest = slice_sub(r->rest, 1, r->rest.len);
	return true;
}

/* Four hexadecimal digits. */
static int take_unit(struct json_reader *r, uint32_t *ret)
{
	uint32_t unit = 0;

	if (r->rest.len < 4)
		return ERR_SYNTAX;
	for (int i = 0; i < 4; i++) {
		int digit = word_hex(r->rest.ptr[i]);

		if (digit < 0)
			return ERR_SYNTAX;
		unit = unit << 4 | (uint32_t)digit;
	}
	r->rest = slice_sub(r->rest, 4, r->rest.len);
	*ret = unit;
	return 0;
}

/* What follows "\u"; a pair of surrogates is one character. */
static int take_character(struct json_reader *r, struct buf *out)
{
	char bytes[UTF8_MAX];
	uint32_t code, low;
	int rc = take_unit(r, &code);

	if (rc == 0 && code >= 0xd800 && code < 0xdc00 &&
		slice_starts_with(r->rest, SLICE("\\u"))) {
		r->rest = slice_sub(r->rest, 2, r->rest.len);
		rc = take_unit(r, &low);
		if (rc == 0 && low >= 0xdc00 && low < 0xe000)
			code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		else
			return ERR_SYNTAX;
	}
	return rc ? rc : buf_add(out, (slice){bytes, utf8_put(code, bytes)});
}

static int take_escape(struct json_reader *r, struct buf *out)
{
	static const char FROM[] = "\"\\/bfnrt", TO[] = "\"\\/\b\f\n\r\t";
	const char *found;
	char c;

	if (r->rest.len == 0)
		return ERR_SYNTAX;
	c = r->rest.ptr[0];
	r->rest = slice_sub(r->rest, 1, r->rest.len);
	if (c == 'u')
		return take_character(r, out);
	found = c ? strchr(FROM, c) : NULL;
	return found ? buf_add_char(out, TO[found - FROM]) : ERR_SYNTAX;
}

static int take_string(struct json_reader *r, struct buf *out)
{
	int rc = 0;

	buf_reset(out);
	if (!take(r, '"'))
		return ERR_SYNTAX;
	while (rc == 0 && r->rest.len) {
		char c = r->rest.ptr[0];

		if ((unsigned char)c < ' ')
			return ERR_SYNTAX;
		r->rest = slice_sub(r->rest, 1, r->rest.len);
		if (c == '"')
			return 0;
		rc = c == '\\' ? take_escape(r, out) : buf_add_char(out, c);
	}
	return rc ? rc : ERR_SYNTAX;
}

int json_unescape(slice raw, struct buf *out)
{
	struct json_reader r = {.rest = raw};
	int rc = 0;

	while (rc == 0 && r.rest.len) {
		char c = r.rest.ptr[0];

		r.rest = slice_sub(r.rest, 1, r.rest.len);
		rc = c == '\\' ? take_escape(&r, out) : buf_add_char(out, c);
	}
	return rc;
}

/* A number or one of three words, told apart by its first byte. */
static int take_word(struct json_reader *r, struct json_member *m)
{
	size_t len = 0;

	while (len < r->rest.len && (word_is_alnum(r->rest.ptr[len]) ||
					    (r->rest.ptr[len] && strchr("+-.", r->rest.ptr[len]))))
		len++;
	m->text = slice_sub(r->rest, 0, len);
	m->kind = len && word_is_alpha(m->text.ptr[0]) ? JSON_READ_WORD : JSON_READ_NUMBER;
	if (len == 0 ||
		(m->kind == JSON_READ_WORD && !slice_eq(m->text, SLICE("true")) &&
			!slice_eq(m->text, SLICE("false")) && !slice_eq(m->text, SLICE("null"))))
		return ERR_SYNTAX;
	r->rest = slice_sub(r->rest, len, r->rest.len);
	return 0;
}

static int take_value(struct json_reader *r, struct json_member *m)
{
	int rc;

	skip_blanks(r);
	if (r->rest.len == 0)
		return ERR_SYNTAX;
	if (r->rest.ptr[0] != '"')
		return take_word(r, m);
	rc = take_string(r, &r->text);
	m->kind = JSON_READ_STRING;
	m->text = r->text.len ? buf_slice(&r->text) : SLICE("");
	return rc;
}

int json_reader_next(struct json_reader *r, struct json_member *ret_member)
{
	struct json_member m = {0};
	bool first = !r->begun;
	int rc;

	if (first && !take(r, '{'))
		return ERR_SYNTAX;
	r->begun = true;
	if (take(r, '}')) {
		skip_blanks(r);
		return r->rest.len ? ERR_SYNTAX : ERR_END;
	}
	if (!first && !take(r, ','))
		return ERR_SYNTAX;
	rc = take_string(r, &r->key);
	if (rc == 0 && !take(r, ':'))
		rc = ERR_SYNTAX;
	if (rc == 0)
		rc = take_value(r, &m);
	if (rc)
		return rc;
	m.key = r->key.len ? buf_slice(&r->key) : SLICE("");
	*ret_member = m;
	return 0;
}
