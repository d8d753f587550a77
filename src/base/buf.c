#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"

enum { FIRST_CAP = 64 };

void buf_release(struct buf *b)
{
	free(b->ptr);
	buf_init(b, b->max);
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	if (b->ptr)
		b->ptr[0] = '\0';
}

int buf_reserve(struct buf *b, size_t more)
{
	size_t cap = b->cap ? b->cap : FIRST_CAP;
	char *ptr;

	if (more > b->max - b->len)
		return ERR_LIMIT;
	if (b->ptr && b->len + more < b->cap)
		return 0;
	while (cap <= b->len + more)
		cap = cap > b->max / 2 ? b->max + 1 : cap * 2;
	ptr = realloc(b->ptr, cap);
	if (!ptr)
		return ERR_NOMEM;
	b->ptr = ptr;
	b->cap = cap;
	b->ptr[b->len] = '\0';
	return 0;
}

int buf_add(struct buf *b, slice s)
{
	int rc = buf_reserve(b, s.len);

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
	return buf_add(b, (slice){&c, 1});
}

int buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int need, rc;

	va_start(ap, fmt);
	need = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (need < 0)
		return ERR_IO;
	rc = buf_reserve(b, (size_t)need);
	if (rc)
		return rc;
	va_start(ap, fmt);
	(void)vsnprintf(b->ptr + b->len, (size_t)need + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)need;
	return 0;
}
