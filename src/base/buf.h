/*
 * The one growable string. Every buffer has a maximum, given at init, because most of them are
 * filled from the network: growth past it is ERR_LIMIT, never an unbounded allocation. A buffer
 * keeps its first error, and takes nothing more until it is reset or truncated: who writes to it
 * may check once, at the end.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>

#include "base/api.h"
#include "base/slice.h"

struct buf {
	char *ptr; /* NULL until the first byte; else NUL-terminated past len */
	size_t len;
	size_t cap;
	size_t max;
	int error; /* the first one since it was empty or truncated: ERR_LIMIT, ERR_NOMEM, ERR_IO */
};

/* An empty buffer that may hold up to max bytes; allocates nothing. */
static inline void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){.max = max};
}

/* Frees the content; the struct may be initialised again. Safe on a zeroed struct. */
void buf_release(struct buf *b);

/* Declares one that is released when its block ends. */
#define BUF_SCOPED(name, most) SCOPED(buf_release) struct buf name = {.max = (most)}

/* Forgets content and error and keeps the memory. */
void buf_reset(struct buf *b);

/* Forgets the error and all but the first len bytes, of which there must be as many. */
static inline void buf_truncate(struct buf *b, size_t len)
{
	b->error = 0;
	b->len = len;
	if (b->ptr)
		b->ptr[len] = '\0';
}

/* All return the buffer's error, 0 when there is none; on failure the content is as before. */
int buf_reserve(struct buf *b, size_t more);
int buf_add(struct buf *b, slice s);
int buf_add_str(struct buf *b, const char *s);
int buf_add_char(struct buf *b, char c);
int buf_printf(struct buf *b, const char *fmt, ...) SP_PRINTF(2, 3);
int buf_vprintf(struct buf *b, const char *fmt, va_list ap) SP_PRINTF(2, 0);

/* The content as a slice, valid until the next change. */
static inline slice buf_slice(const struct buf *b)
{
	return (slice){b->ptr, b->len};
}

/* The content as a C string, "" when empty; valid until the next change. */
static inline const char *buf_str(const struct buf *b)
{
	return b->ptr ? b->ptr : "";
}

#endif
