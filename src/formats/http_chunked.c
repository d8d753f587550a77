#include "formats/http_chunked.h"

#include "base/err.h"
#include "base/word.h"

enum { SIZE_DIGITS_MAX = 16 };

static int fail(struct http_chunked *c, int code)
{
	c->state = HTTP_CHUNKED_BAD;
	return code;
}

static void end_size_line(struct http_chunked *c)
{
	c->state = c->left > 0 ? HTTP_CHUNKED_DATA : HTTP_CHUNKED_TRAILER;
	c->line = 0;
}

/* Some servers fill the size up with blanks in front of the line's end. */
static int step_size(struct http_chunked *c, char byte)
{
	int value = word_hex(byte);

	if (value >= 0) {
		if (c->digits == SIZE_DIGITS_MAX)
			return fail(c, ERR_LIMIT);
		c->left = c->left << 4 | (uint64_t)value;
		c->digits++;
		return 0;
	}
	if (c->digits == 0)
		return fail(c, ERR_SYNTAX);
	if (byte == '\n')
		end_size_line(c);
	else if (byte == ';' || byte == ' ' || byte == '\t' || byte == '\r')
		c->state = HTTP_CHUNKED_EXTENSION;
	else
		return fail(c, ERR_SYNTAX);
	return 0;
}

static int step_extension(struct http_chunked *c, char byte)
{
	if (byte == '\n')
		end_size_line(c);
	else if (++c->line > HTTP_CHUNK_LINE_MAX)
		return fail(c, ERR_LIMIT);
	return 0;
}

static int step_data_end(struct http_chunked *c, char byte)
{
	if (byte == '\n') {
		c->state = HTTP_CHUNKED_SIZE;
		c->digits = 0;
		c->line = 0;
	} else if (byte != '\r' || c->line++ > 0) {
		return fail(c, ERR_SYNTAX);
	}
	return 0;
}

static int step_trailer(struct http_chunked *c, char byte)
{
	if (++c->line > HTTP_CHUNK_TRAILER_MAX)
		return fail(c, ERR_LIMIT);
	if (byte == '\n')
		c->state =
			c->state == HTTP_CHUNKED_TRAILER ? HTTP_CHUNKED_END : HTTP_CHUNKED_TRAILER;
	else if (byte != '\r')
		c->state = HTTP_CHUNKED_FIELD;
	return 0;
}

static int step(struct http_chunked *c, char byte)
{
	switch (c->state) {
	case HTTP_CHUNKED_SIZE:
		return step_size(c, byte);
	case HTTP_CHUNKED_EXTENSION:
		return step_extension(c, byte);
	case HTTP_CHUNKED_DATA_END:
		return step_data_end(c, byte);
	case HTTP_CHUNKED_TRAILER:
	case HTTP_CHUNKED_FIELD:
		return step_trailer(c, byte);
	default:
		return ERR_SYNTAX;
	}
}

static slice take_data(struct http_chunked *c, slice *in)
{
	size_t n = in->len < c->left ? in->len : (size_t)c->left;
	slice data = slice_sub(*in, 0, n);

	*in = slice_sub(*in, n, in->len);
	c->left -= n;
	c->consumed += n;
	if (c->left == 0) {
		c->state = HTTP_CHUNKED_DATA_END;
		c->line = 0;
	}
	return data;
}

int http_chunked_next(struct http_chunked *c, slice *in, slice *ret_data)
{
	*ret_data = (slice){0};
	while (in->len > 0 && c->state != HTTP_CHUNKED_DATA && c->state != HTTP_CHUNKED_END) {
		TRY(step(c, in->ptr[0]));
		*in = slice_sub(*in, 1, in->len);
		c->consumed++;
	}
	if (c->state == HTTP_CHUNKED_END)
		*in = slice_sub(*in, in->len, in->len);
	else if (in->len > 0)
		*ret_data = take_data(c, in);
	return 0;
}
