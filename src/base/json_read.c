#include "base/json_read.h"

#include "base/err.h"
#include "base/utf8.h"
#include "base/word.h"

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
