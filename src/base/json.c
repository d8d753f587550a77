#include "base/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/format.h"
#include "base/utf8.h"

static const slice REPLACEMENT = SLICE_INIT(UTF8_REPLACEMENT);

void json_init_file(struct json *j, FILE *file, unsigned flags)
{
	j->file = file;
	j->buf = NULL;
	j->flags = flags;
	j->rc = 0;
	j->depth = 0;
	j->objects = 0;
	j->first = true;
	j->keyed = false;
	j->used = 0;
}

void json_init_buf(struct json *j, struct buf *buf, unsigned flags)
{
	json_init_file(j, NULL, flags);
	j->buf = buf;
}

static void pass_on(struct json *j, slice bytes)
{
	if (j->rc || bytes.len == 0)
		return;
	if (j->buf)
		j->rc = buf_add(j->buf, bytes);
	else if (fwrite(bytes.ptr, 1, bytes.len, j->file) != bytes.len)
		j->rc = ERR_IO;
}

static void flush(struct json *j)
{
	pass_on(j, (slice){j->stage, j->used});
	j->used = 0;
}

static void add(struct json *j, slice bytes)
{
	if (bytes.len > sizeof j->stage - j->used)
		flush(j);
	if (bytes.len > sizeof j->stage) {
		pass_on(j, bytes);
		return;
	}
	if (bytes.len)
		memcpy(j->stage + j->used, bytes.ptr, bytes.len);
	j->used += bytes.len;
}

static void add_char(struct json *j, char c)
{
	if (j->used == sizeof j->stage)
		flush(j);
	j->stage[j->used++] = c;
}

int json_finish(struct json *j)
{
	int rc;

	assert(j->depth == 0 && !j->keyed);
	flush(j);
	if (j->file && fflush(j->file) != 0 && j->rc == 0)
		j->rc = ERR_IO;
	rc = j->rc;
	j->rc = 0;
	j->first = true;
	return rc;
}

static bool in_object(const struct json *j)
{
	return j->depth > 0 && (j->objects >> (j->depth - 1) & 1);
}

static void new_line(struct json *j)
{
	if (!(j->flags & JSON_PRETTY))
		return;
	add_char(j, '\n');
	for (unsigned i = 0; i < j->depth; i++)
		add(j, SLICE("  "));
}

/* What stands between the last value and the next, inside an object or array. */
static void separate(struct json *j)
{
	if (!j->first)
		add_char(j, ',');
	j->first = false;
	if (j->depth > 0)
		new_line(j);
}

static void before_value(struct json *j)
{
	if (in_object(j)) {
		assert(j->keyed);
		j->keyed = false;
		return;
	}
	assert(j->depth > 0 || j->first || (j->flags & JSON_LINES));
	separate(j);
}

static void after_value(struct json *j)
{
	if (j->depth > 0 || !(j->flags & JSON_LINES))
		return;
	add_char(j, '\n');
	j->first = true;
}

static void open_level(struct json *j, char bracket, bool object)
{
	uint64_t bit = UINT64_C(1) << (j->depth % JSON_DEPTH_MAX);

	assert(j->depth < JSON_DEPTH_MAX);
	before_value(j);
	add_char(j, bracket);
	j->objects = object ? j->objects | bit : j->objects & ~bit;
	j->depth++;
	j->first = true;
}

static void close_level(struct json *j, char bracket, bool object)
{
	assert(j->depth > 0 && in_object(j) == object && !j->keyed);
	(void)object;
	j->depth--;
	if (!j->first)
		new_line(j);
	j->first = false;
	add_char(j, bracket);
	after_value(j);
}

void json_object_begin(struct json *j)
{
	open_level(j, '{', true);
}

void json_object_end(struct json *j)
{
	close_level(j, '}', true);
}

void json_array_begin(struct json *j)
{
	open_level(j, '[', false);
}

void json_array_end(struct json *j)
{
	close_level(j, ']', false);
}

/* Bytes that cannot be copied as they are: controls, quote, backslash and all above ASCII. */
static bool is_special(const struct json *j, unsigned char c)
{
	return c < 0x20 || c == 0x7f || c == '"' || c == '\\' || c >= 0x80 ||
	       (c == '<' && (j->flags & JSON_SCRIPT));
}

static void add_escape(struct json *j, unsigned char c)
{
	static const char HEX[] = "0123456789abcdef";
	static const char SHORT[128] = {['"'] = '"',
		['\\'] = '\\',
		['\b'] = 'b',
		['\f'] = 'f',
		['\n'] = 'n',
		['\r'] = 'r',
		['\t'] = 't'};

	add_char(j, '\\');
	if (SHORT[c]) {
		add_char(j, SHORT[c]);
		return;
	}
	add(j, SLICE("u00"));
	add_char(j, HEX[c >> 4]);
	add_char(j, HEX[c & 15]);
}

/* A character of two or three bytes that a terminal would obey. */
static void add_control(struct json *j, const unsigned char *p, size_t len)
{
	static const char HEX[] = "0123456789abcdef";
	unsigned code = len == 2 ? (p[0] & 0x1fU) << 6 | (p[1] & 0x3fU)
				 : (p[0] & 0x0fU) << 12 | (p[1] & 0x3fU) << 6 | (p[2] & 0x3fU);

	add(j, SLICE("\\u"));
	for (int shift = 12; shift >= 0; shift -= 4)
		add_char(j, HEX[code >> shift & 15]);
}

static void add_quoted(struct json *j, slice s)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	size_t from = 0, at = 0;

	add_char(j, '"');
	while (at < s.len) {
		size_t n = 1;
		bool ok = false;

		if (!is_special(j, p[at])) {
			at++;
			continue;
		}
		if (p[at] >= 0x80) {
			n = utf8_length(p + at, s.len - at, &ok);
			if (ok && !utf8_control(p + at, s.len - at)) {
				at += n;
				continue;
			}
		}
		add(j, slice_sub(s, from, at));
		if (p[at] >= 0x80 && ok)
			add_control(j, p + at, n);
		else if (p[at] >= 0x80)
			add(j, REPLACEMENT);
		else
			add_escape(j, p[at]);
		at += n;
		from = at;
	}
	add(j, slice_sub(s, from, at));
	add_char(j, '"');
}

void json_key_slice(struct json *j, slice key)
{
	assert(in_object(j) && !j->keyed);
	separate(j);
	add_quoted(j, key);
	add_char(j, ':');
	if (j->flags & JSON_PRETTY)
		add_char(j, ' ');
	j->keyed = true;
}

void json_key(struct json *j, const char *key)
{
	json_key_slice(j, slice_str(key));
}

void json_slice(struct json *j, slice value)
{
	before_value(j);
	add_quoted(j, value);
	after_value(j);
}

void json_text(struct json *j, const char *key, slice value)
{
	json_key(j, key);
	if (value.ptr)
		json_slice(j, value);
	else
		json_null(j);
}

void json_string(struct json *j, const char *value)
{
	if (value)
		json_slice(j, slice_str(value));
	else
		json_null(j);
}

static void add_value(struct json *j, slice text)
{
	before_value(j);
	add(j, text);
	after_value(j);
}

void json_int(struct json *j, int64_t value)
{
	char text[1 + FORMAT_U64_SIZE] = "-";
	size_t n = value < 0;

	n += format_u64(value < 0 ? 0 - (uint64_t)value : (uint64_t)value, text + n);
	add_value(j, (slice){text, n});
}

void json_uint(struct json *j, uint64_t value)
{
	char text[FORMAT_U64_SIZE];

	add_value(j, (slice){text, format_u64(value, text)});
}

void json_double(struct json *j, double value)
{
	char text[FORMAT_DOUBLE_SIZE];

	if (isfinite(value))
		add_value(j, (slice){text, format_double(value, text)});
	else
		json_null(j);
}

void json_bool(struct json *j, bool value)
{
	add_value(j, value ? SLICE("true") : SLICE("false"));
}

void json_null(struct json *j)
{
	add_value(j, SLICE("null"));
}

void json_put_string(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	json_string(j, value);
}

void json_put_uint(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_uint(j, value);
}

void json_put_uint_if(struct json *j, const char *key, bool known, uint64_t value)
{
	json_key(j, key);
	if (known)
		json_uint(j, value);
	else
		json_null(j);
}

void json_put_double(struct json *j, const char *key, double value)
{
	json_key(j, key);
	json_double(j, value);
}

void json_put_bool(struct json *j, const char *key, bool value)
{
	json_key(j, key);
	json_bool(j, value);
}

void json_document_begin(struct json *j)
{
	json_object_begin(j);
	json_put_uint(j, "schema", JSON_SCHEMA);
}
