#include "base/buf.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

enum { FIRST_CAP = 64 };

void buf_release(struct buf *b)
{
	free(b->ptr);
	buf_init(b, b->max);
}

void buf_reset(struct buf *b)
{
	buf_truncate(b, 0);
}

/* Memory is for max bytes and the NUL at most, so where there is room nothing else is asked. */
static bool has_room(const struct buf *b, size_t more)
{
	return more < b->cap - b->len && !b->error;
}

int buf_reserve(struct buf *b, size_t more)
{
	size_t cap = b->cap ? b->cap : FIRST_CAP;
	char *ptr;

	if (has_room(b, more) || b->error)
		return b->error;
	if (more > b->max - b->len)
		return b->error = ERR_LIMIT;
	while (cap <= b->len + more && cap <= b->max / 2)
		cap *= 2;
	if (cap <= b->len + more || cap > b->max)
		cap = b->max + 1;
	ptr = realloc(b->ptr, cap);
	if (!ptr) {
		mem_out();
		return b->error = ERR_NOMEM;
	}
	b->ptr = ptr;
	b->cap = cap;
	b->ptr[b->len] = '\0';
	return 0;
}

int buf_add(struct buf *b, slice s)
{
	int rc = has_room(b, s.len) ? 0 : buf_reserve(b, s.len);

	if (rc)
		return rc;
	if (s.len)
		memcpy(b->ptr + b->len, s.ptr, s.len);
	b->len += s.len;
	b->ptr[b->len] = '\0';
	return 0;
}

int buf_add_str(struct buf *b, const char *s)
{
	return buf_add(b, slice_str(s));
}

int buf_add_char(struct buf *b, char c)
{
	int rc = has_room(b, 1) ? 0 : buf_reserve(b, 1);

	if (rc)
		return rc;
	b->ptr[b->len++] = c;
	b->ptr[b->len] = '\0';
	return 0;
}

int buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	char *end = b->ptr ? b->ptr + b->len : NULL;
	va_list again;
	int need, rc = 0;

	/* Most often there is room, and once is enough. */
	va_copy(again, ap);
	need = vsnprintf(end, b->cap - b->len, fmt, ap);
	if (need < 0 || !has_room(b, (size_t)need)) {
		if (end)
			*end = '\0';
		rc = need < 0 ? b->error = ERR_IO : buf_reserve(b, (size_t)need);
		if (rc == 0)
			(void)vsnprintf(b->ptr + b->len, (size_t)need + 1, fmt, again);
	}
	va_end(again);
	if (rc == 0)
		b->len += (size_t)need;
	return rc;
}

int buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = buf_vprintf(b, fmt, ap);
	va_end(ap);
	return rc;
}
