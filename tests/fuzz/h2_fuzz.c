/*
 * Heads of HTTP/2 as HTTP/1.1 text: nothing about a connection is left, and what was mended is not
 * mended again. The first byte says whether the lines are of a request.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/word.h"
#include "formats/http_fields.h"
#include "net/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD_MAX = 1 << 20 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* Names of fields that libcurl lets through have no blanks and no control characters. */
static bool is_handed_out(slice line)
{
	slice name = slice_take(&line, ':');

	for (size_t i = 0; i < name.len; i++)
		if ((unsigned char)name.ptr[i] <= ' ')
			return slice_starts_with(name, SLICE("HTTP/"));
	return true;
}

/* Line by line, as libcurl hands them out: with their ends. */
static void mend(slice lines, struct buf *out)
{
	while (lines.len) {
		const char *lf = memchr(lines.ptr, '\n', lines.len);
		size_t end = lf ? (size_t)(lf - lines.ptr) + 1 : lines.len;
		slice line = slice_sub(lines, 0, end);

		if (is_handed_out(line))
			require(h2_add_line(line, out) == 0);
		lines = slice_sub(lines, end, lines.len);
	}
}

static void check_response(slice lines)
{
	struct buf once, again;
	struct fields fields = {0};

	buf_init(&once, HEAD_MAX);
	buf_init(&again, HEAD_MAX);
	mend(lines, &once);
	mend(buf_slice(&once), &again);
	require(slice_eq(buf_slice(&once), buf_slice(&again)));
	if (again.len && fields_parse(&fields, again.ptr, again.len) == 0)
		for (size_t i = 0; i < fields.items.len; i++)
			require(!slice_eq(fields.items.ptr[i].name, SLICE("transfer-encoding")));
	fields_release(&fields);
	buf_release(&once);
	buf_release(&again);
}

static void check_request(slice head)
{
	struct buf once, again;

	buf_init(&once, HEAD_MAX);
	buf_init(&again, HEAD_MAX);
	require(buf_add(&once, head) == 0 && h2_mend_request(&once) == 0);
	require(once.len == head.len || once.len == head.len + 2);
	require(buf_add(&again, buf_slice(&once)) == 0 && h2_mend_request(&again) == 0);
	require(slice_eq(buf_slice(&once), buf_slice(&again)));
	buf_release(&once);
	buf_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice rest = {(const char *)data + 1, size ? size - 1 : 0};

	if (size == 0)
		return 0;
	if (data[0] & 1)
		check_request(rest);
	else
		check_response(rest);
	return 0;
}
