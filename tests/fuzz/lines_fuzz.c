/*
 * Lines of an index, and looking up in it: the lines are those that one sees in the bytes, and a
 * search ends wherever the bytes lead it; in a sorted index, where it should. The first byte is the
 * length of what is searched for, which comes next; the rest is the index.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "warc/cdxj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* The first line of a text without its end; takes it off. */
static slice cut_line(slice *text)
{
	const char *lf = memchr(text->ptr, '\n', text->len);
	size_t len = lf ? (size_t)(lf - text->ptr) : text->len;
	slice line = slice_sub(*text, 0, len);

	*text = slice_sub(*text, lf ? len + 1 : len, text->len);
	if (line.len > 0 && line.ptr[line.len - 1] == '\r')
		line.len--;
	return line;
}

static int next(struct lines *lines, slice *ret)
{
	struct err err = {0};
	int rc = lines_next(lines, ret, &err);

	require(rc == 0 || rc == ERR_END);
	return rc;
}

/* Compares all lines with those of the text; whether they are sorted. */
static bool read_all(struct lines *lines, slice text)
{
	slice line, last = {"", 0};
	bool sorted = true;

	while (next(lines, &line) == 0) {
		slice want;

		require(text.len > 0);
		want = cut_line(&text);
		require(slice_eq(line, want));
		sorted = sorted && cdxj_compare(last, want) <= 0;
		last = want;
	}
	require(text.len == 0);
	return sorted;
}

static void search(struct lines *lines, slice text, slice from, bool sorted)
{
	struct err err = {0};
	slice line, want = {0};
	int rc;

	require(cdxj_find_before(lines, from, &err) == 0);
	require(lines_offset(lines) <= text.len);
	require(cdxj_find(lines, from, &err) == 0);
	require(lines_offset(lines) <= text.len);
	rc = next(lines, &line);
	if (!sorted)
		return;
	do
		want = text.len > 0 ? cut_line(&text) : (slice){0};
	while (want.ptr && cdxj_compare(want, from) < 0);
	require((rc == 0) == (want.ptr != NULL));
	require(rc || slice_eq(line, want));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice input = {(const char *)data, size}, from, text;
	struct lines lines;
	int fd;

	if (size == 0)
		return 0;
	from = slice_sub(input, 1, 1 + (size_t)data[0]);
	text = slice_sub(input, 1 + from.len, size);
	fd = memfd_create("lines", MFD_CLOEXEC);
	require(fd >= 0 && write(fd, text.ptr, text.len) == (ssize_t)text.len);
	lines_init(&lines, fd, 0);
	search(&lines, text, from, read_all(&lines, text));
	lines_release(&lines);
	(void)close(fd);
	return 0;
}
