#include "base/spill.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tempfile.h"

enum {
	TAIL_MAX = 64 << 10,
	FIRST_MEMORY = 512,
};

void spill_init(struct spill *s, const char *dir)
{
	*s = (struct spill){.dir = dir, .fd = -1, .written = SPILL_MEMORY};
}

void spill_release(struct spill *s)
{
	if (s->fd >= 0)
		(void)close(s->fd);
	free(s->memory);
	free(s->tail);
	spill_init(s, s->dir);
}

static int fail(const struct spill *s, struct err *err)
{
	return err_set(err, ERR_IO, "temporary file in %s: %s", s->dir, strerror(errno));
}

static size_t min_size(size_t a, uint64_t b)
{
	return a < b ? a : (size_t)b;
}

/* ---- writing ---- */

static int grow_memory(struct spill *s, size_t need, struct err *err)
{
	size_t cap = s->memory_cap ? s->memory_cap : FIRST_MEMORY;
	char *memory;

	while (cap < need)
		cap *= 2;
	if (cap == s->memory_cap)
		return 0;
	memory = realloc(s->memory, cap);
	if (!memory)
		return err_set(err, ERR_NOMEM, "%s", err_name(ERR_NOMEM));
	memset(memory + s->memory_cap, 0, cap - s->memory_cap);
	s->memory = memory;
	s->memory_cap = cap;
	return 0;
}

static int write_file(struct spill *s, uint64_t at, const char *bytes, size_t len, struct err *err)
{
	while (len > 0) {
		ssize_t n = pwrite(s->fd, bytes, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n < 0 ? errno : EIO;
			return fail(s, err);
		}
		at += (uint64_t)n;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

static int flush_tail(struct spill *s, struct err *err)
{
	int rc = write_file(s, s->written, s->tail, s->tail_len, err);

	if (rc == 0) {
		s->written += s->tail_len;
		s->tail_len = 0;
	}
	return rc;
}

static int need_file(struct spill *s, struct err *err)
{
	if (s->fd >= 0)
		return 0;
	if (!s->tail)
		s->tail = malloc(TAIL_MAX);
	if (!s->tail)
		return err_set(err, ERR_NOMEM, "%s", err_name(ERR_NOMEM));
	s->fd = tempfile_open(s->dir);
	return s->fd < 0 ? fail(s, err) : 0;
}

/* Behind the end, into the tail; else, or when that is full, into the file. */
static int write_outside(
	struct spill *s, uint64_t at, const char *bytes, size_t len, struct err *err)
{
	bool appends = at == s->written + s->tail_len;
	int rc = need_file(s, err);

	if (rc == 0 && (!appends || len > TAIL_MAX - s->tail_len))
		rc = flush_tail(s, err);
	if (rc)
		return rc;
	if (appends && len <= TAIL_MAX) {
		memcpy(s->tail + s->tail_len, bytes, len);
		s->tail_len += len;
		return 0;
	}
	rc = write_file(s, at, bytes, len, err);
	if (rc == 0 && at + len > s->written)
		s->written = at + len;
	return rc;
}

int spill_reserve(struct spill *s, uint64_t size, struct err *err)
{
	return grow_memory(s, min_size(SPILL_MEMORY, size), err);
}

int spill_write(struct spill *s, uint64_t at, const void *bytes, size_t len, struct err *err)
{
	size_t inside = at < SPILL_MEMORY ? min_size(len, SPILL_MEMORY - at) : 0;
	int rc = inside ? grow_memory(s, (size_t)at + inside, err) : 0;

	if (rc == 0 && len > inside)
		rc = write_outside(s, at + inside, (const char *)bytes + inside, len - inside, err);
	if (rc)
		return rc;
	if (inside)
		memcpy(s->memory + at, bytes, inside);
	if (at + len > s->size)
		s->size = at + len;
	return 0;
}

/* ---- reading ---- */

/* Copies from memory of which only the first have bytes are there. */
static void copy_out(char *out, const char *from, uint64_t at, uint64_t have, size_t len)
{
	size_t there = at < have ? min_size(len, have - at) : 0;

	if (there)
		memcpy(out, from + at, there);
	memset(out + there, 0, len - there);
}

static int read_file(const struct spill *s, uint64_t at, char *out, size_t len, struct err *err)
{
	while (len > 0) {
		ssize_t n = pread(s->fd, out, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n < 0 ? errno : EIO;
			return fail(s, err);
		}
		at += (uint64_t)n;
		out += n;
		len -= (size_t)n;
	}
	return 0;
}

int spill_read(const struct spill *s, uint64_t at, void *out, size_t len, struct err *err)
{
	char *to = out;
	int rc = 0;

	while (rc == 0 && len > 0) {
		size_t n = len;

		if (at < SPILL_MEMORY) {
			n = min_size(len, SPILL_MEMORY - at);
			copy_out(to, s->memory, at, s->memory_cap, n);
		} else if (at < s->written) {
			n = min_size(len, s->written - at);
			rc = read_file(s, at, to, n, err);
		} else {
			copy_out(to, s->tail, at - s->written, s->tail_len, n);
		}
		at += n;
		to += n;
		len -= n;
	}
	return rc;
}
