/*
 * Reading of CDXJ lines: a cursor over key, timestamp and a JSON object (RFC 8259) whose values
 * are strings or numbers, as far as we want them.
 */
#include "archive/cdxj.h"
#include "base/err.h"
#include "base/parse.h"

struct cursor {
	slice rest;
	struct buf *scratch;
};

static bool take(struct cursor *c, char byte)
{
	if (c->rest.len == 0 || c->rest.ptr[0] != byte)
		return false;
	c->rest = slice_sub(c->rest, 1, c->rest.len);
	return true;
}

static void skip_blanks(struct cursor *c)
{
	while (c->rest.len > 0 && (c->rest.ptr[0] == ' ' || c->rest.ptr[0] == '\t'))
		c->rest = slice_sub(c->rest, 1, c->rest.len);
}

static slice take_word(struct cursor *c)
{
	const char *blank = c->rest.len ? memchr(c->rest.ptr, ' ', c->rest.len) : NULL;
	slice word = slice_sub(c->rest, 0, blank ? (size_t)(blank - c->rest.ptr) : c->rest.len);

	c->rest = slice_sub(c->rest, word.len, c->rest.len);
	skip_blanks(c);
	return word;
}

static int take_hex4(struct cursor *c, unsigned *ret)
{
	unsigned value = 0;

	if (c->rest.len < 4)
		return ERR_SYNTAX;
	for (int i = 0; i < 4; i++) {
		char d = c->rest.ptr[i];
		unsigned digit;

		if (d >= '0' && d <= '9')
			digit = (unsigned)(d - '0');
		else if ((d | 0x20) >= 'a' && (d | 0x20) <= 'f')
			digit = (unsigned)((d | 0x20) - 'a' + 10);
		else
			return ERR_SYNTAX;
		value = value << 4 | digit;
	}
	c->rest = slice_sub(c->rest, 4, c->rest.len);
	*ret = value;
	return 0;
}

static int add_utf8(struct buf *out, unsigned u)
{
	char bytes[4];
	size_t len = 0;

	if (u < 0x80) {
		bytes[len++] = (char)u;
	} else if (u < 0x800) {
		bytes[len++] = (char)(0xc0 | u >> 6);
	} else if (u < 0x10000) {
		bytes[len++] = (char)(0xe0 | u >> 12);
		bytes[len++] = (char)(0x80 | (u >> 6 & 0x3f));
	} else {
		bytes[len++] = (char)(0xf0 | u >> 18);
		bytes[len++] = (char)(0x80 | (u >> 12 & 0x3f));
		bytes[len++] = (char)(0x80 | (u >> 6 & 0x3f));
	}
	if (u >= 0x80)
		bytes[len++] = (char)(0x80 | (u & 0x3f));
	return buf_add(out, (slice){bytes, len});
}

/* Behind "\u": a code point, of two escapes if need be; half a pair is U+FFFD. */
static int take_unicode(struct cursor *c)
{
	unsigned u, low;
	int rc = take_hex4(c, &u);

	if (rc)
		return rc;
	if (u >= 0xd800 && u < 0xdc00 && c->rest.len >= 2 && c->rest.ptr[0] == '\\' &&
		c->rest.ptr[1] == 'u') {
		struct cursor ahead = {slice_sub(c->rest, 2, c->rest.len), c->scratch};

		rc = take_hex4(&ahead, &low);
		if (rc)
			return rc;
		if (low >= 0xdc00 && low < 0xe000) {
			*c = ahead;
			return add_utf8(
				c->scratch, 0x10000 + ((u - 0xd800) << 10) + (low - 0xdc00));
		}
	}
	return add_utf8(c->scratch, u >= 0xd800 && u < 0xe000 ? 0xfffd : u);
}

static int take_escape(struct cursor *c)
{
	static const char FROM[] = "\"\\/bfnrt", TO[] = "\"\\/\b\f\n\r\t";
	const char *hit;

	if (take(c, 'u'))
		return take_unicode(c);
	hit = c->rest.len && c->rest.ptr[0] ? strchr(FROM, c->rest.ptr[0]) : NULL;
	if (!hit)
		return ERR_SYNTAX;
	c->rest = slice_sub(c->rest, 1, c->rest.len);
	return buf_add_char(c->scratch, TO[hit - FROM]);
}

/* Where a string's run of plain bytes ends. */
static size_t plain_run(slice s)
{
	size_t n = 0;

	while (n < s.len && s.ptr[n] != '"' && s.ptr[n] != '\\')
		n++;
	return n;
}

/*
 * A string, from behind its opening quote: a part of the line, or of scratch when it has escapes.
 * Scratch never moves: it was reserved for the whole line, and no string grows by being read.
 */
static int take_string(struct cursor *c, slice *ret)
{
	size_t run = plain_run(c->rest), start = c->scratch->len;
	slice plain = slice_sub(c->rest, 0, run);
	int rc = 0;

	c->rest = slice_sub(c->rest, run, c->rest.len);
	if (take(c, '"')) {
		*ret = plain;
		return 0;
	}
	rc = buf_add(c->scratch, plain);
	while (rc == 0 && !take(c, '"')) {
		if (take(c, '\\')) {
			rc = take_escape(c);
			continue;
		}
		run = plain_run(c->rest);
		if (run == 0)
			return ERR_SYNTAX;
		rc = buf_add(c->scratch, slice_sub(c->rest, 0, run));
		c->rest = slice_sub(c->rest, run, c->rest.len);
	}
	*ret = (slice){c->scratch->ptr + start, c->scratch->len - start};
	return rc;
}

/* A value that we do not want, whatever it is: strings are read over, brackets counted. */
static int skip_value(struct cursor *c)
{
	unsigned depth = 0;
	slice ignored;

	while (c->rest.len > 0) {
		char byte = c->rest.ptr[0];
		int rc;

		if (depth == 0 && (byte == ',' || byte == '}'))
			return 0;
		c->rest = slice_sub(c->rest, 1, c->rest.len);
		if (byte == '"' && (rc = take_string(c, &ignored)))
			return rc;
		if ((byte == '{' || byte == '[') && ++depth > CDXJ_DEPTH_MAX)
			return ERR_LIMIT;
		if (byte == '}' || byte == ']')
			depth--;
	}
	return ERR_SYNTAX;
}

/* A string, or a number as its text; ptr is NULL for any other value. */
static int take_value(struct cursor *c, slice *ret)
{
	size_t n = 0;

	skip_blanks(c);
	*ret = (slice){0};
	if (take(c, '"'))
		return take_string(c, ret);
	while (n < c->rest.len && c->rest.ptr[n] >= '0' && c->rest.ptr[n] <= '9')
		n++;
	if (n == 0)
		return skip_value(c);
	*ret = slice_sub(c->rest, 0, n);
	c->rest = slice_sub(c->rest, n, c->rest.len);
	return 0;
}

/* Producers write "-" or nothing for a status they do not know: that is no error. */
static int set_field(struct cdxj *line, slice name, slice value)
{
	uint64_t status;
	int rc = 0;

	if (slice_eq(name, SLICE("url")))
		line->url = value;
	else if (slice_eq(name, SLICE("mime")))
		line->mime = value;
	else if (slice_eq(name, SLICE("digest")))
		line->digest = value;
	else if (slice_eq(name, SLICE("filename")))
		line->filename = value;
	else if (slice_eq(name, SLICE("status")))
		line->status = parse_u64(value, &status) || status > 999 ? 0 : (unsigned)status;
	else if (slice_eq(name, SLICE("length")))
		rc = value.ptr ? parse_u64(value, &line->length) : 0;
	else if (slice_eq(name, SLICE("offset")) && value.ptr) {
		rc = parse_u64(value, &line->offset);
		line->has_place = true;
	}
	return rc ? ERR_SYNTAX : 0;
}

static int take_fields(struct cursor *c, struct cdxj *line)
{
	int rc = 0;

	if (!take(c, '{'))
		return ERR_SYNTAX;
	skip_blanks(c);
	if (take(c, '}'))
		return 0;
	do {
		slice name, value;

		skip_blanks(c);
		if (!take(c, '"'))
			return ERR_SYNTAX;
		rc = take_string(c, &name);
		skip_blanks(c);
		if (rc == 0 && !take(c, ':'))
			rc = ERR_SYNTAX;
		if (rc == 0)
			rc = take_value(c, &value);
		if (rc == 0)
			rc = set_field(line, name, value);
		if (rc)
			return rc;
		skip_blanks(c);
	} while (take(c, ','));
	return take(c, '}') ? 0 : ERR_SYNTAX;
}

int cdxj_parse(slice text, struct buf *scratch, struct cdxj *ret)
{
	struct cursor c = {text, scratch};
	struct cdxj line = {0};
	slice timestamp;
	int rc;

	if (text.len > CDXJ_LINE_MAX)
		return ERR_LIMIT;
	buf_reset(scratch);
	rc = buf_reserve(scratch, text.len);
	if (rc)
		return rc;
	line.key = take_word(&c);
	timestamp = take_word(&c);
	if (line.key.len == 0 || timestamp.len == 0 || timestamp.len >= sizeof line.timestamp)
		return ERR_SYNTAX;
	for (size_t i = 0; i < timestamp.len; i++)
		if (timestamp.ptr[i] < '0' || timestamp.ptr[i] > '9')
			return ERR_SYNTAX;
	memcpy(line.timestamp, timestamp.ptr, timestamp.len);
	rc = take_fields(&c, &line);
	skip_blanks(&c);
	if (rc == 0 && c.rest.len > 0)
		rc = ERR_SYNTAX;
	if (rc == 0)
		*ret = line;
	return rc;
}
