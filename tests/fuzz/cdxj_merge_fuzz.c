/*
 * Lines of indexes, sorted and merged: all of them come out, none twice but for those that were
 * there twice, in their order; or, of lines that are the same, one.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "warc/cdxj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUTS = 4, OUT_MAX = 4 << 20 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* Lines that came out: their number, bytes and sum, whatever their order. */
struct sum {
	struct buf last;
	size_t lines, bytes;
	uint64_t hash;
	bool unique;
	int fd; /* they are written to it, or -1 */
};

static void count(struct sum *s, slice line)
{
	s->lines++;
	s->bytes += line.len;
	s->hash += hash_bytes((struct hash_key){1, 2}, line);
}

static int on_line(void *context, slice line, struct err *err)
{
	struct sum *s = context;
	int order = s->lines ? cdxj_compare(buf_slice(&s->last), line) : -1;

	(void)err;
	require(line.len > 0 && (s->unique ? order < 0 : order <= 0));
	count(s, line);
	buf_reset(&s->last);
	require(buf_add(&s->last, line) == 0);
	if (s->fd >= 0)
		require(write(s->fd, line.ptr, line.len) == (ssize_t)line.len &&
			write(s->fd, "\n", 1) == 1);
	return 0;
}

/* Sorts every INPUTS-th line from first on into fd. */
static struct sum sort(slice text, unsigned first, unsigned step, bool unique, int fd)
{
	struct sum in = {.fd = -1}, out = {.fd = fd, .unique = unique};
	struct cdxj_sort *s =
		cdxj_sort_open("/tmp", CDXJ_SORT_MEMORY_MIN, unique ? CDXJ_UNIQUE : 0);
	struct err err = {0};

	buf_init(&out.last, OUT_MAX);
	for (unsigned i = 0; text.len; i++) {
		slice line = slice_take(&text, '\n');

		if (i % step != first || line.len == 0)
			continue;
		require(cdxj_sort_add(s, line, &err) == 0);
		count(&in, line);
	}
	require(cdxj_sort_finish(s, on_line, &out, &err) == 0);
	require(unique ? out.lines <= in.lines
		       : out.lines == in.lines && out.bytes == in.bytes && out.hash == in.hash);
	cdxj_sort_close(s);
	buf_release(&out.last);
	return out;
}

static struct sum merge(const int fds[INPUTS], bool unique)
{
	struct sum out = {.fd = -1, .unique = unique};
	struct lines inputs[INPUTS];
	struct err err = {0};

	buf_init(&out.last, OUT_MAX);
	for (int i = 0; i < INPUTS; i++)
		lines_init(&inputs[i], fds[i], 0);
	require(cdxj_merge(inputs, INPUTS, unique ? CDXJ_UNIQUE : 0, on_line, &out, &err) == 0);
	for (int i = 0; i < INPUTS; i++)
		lines_release(&inputs[i]);
	buf_release(&out.last);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice text = {(const char *)data, size};
	int fds[INPUTS];

	/* The end of a line is LF or CRLF: one that ends in CR would come back without it. */
	if (memchr(data, '\r', size))
		return 0;
	for (int i = 0; i < INPUTS; i++) {
		fds[i] = memfd_create("lines", MFD_CLOEXEC);
		require(fds[i] >= 0);
		(void)sort(text, (unsigned)i, INPUTS, false, fds[i]);
	}
	for (int unique = 0; unique < 2; unique++) {
		struct sum whole = sort(text, 0, 1, unique, -1), parts = merge(fds, unique);

		require(whole.lines == parts.lines && whole.bytes == parts.bytes);
		require(whole.hash == parts.hash);
	}
	for (int i = 0; i < INPUTS; i++)
		(void)close(fds[i]);
	return 0;
}
