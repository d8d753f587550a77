/*
 * The one growable string. Every buffer has a maximum, given at init, because most of them are
 * filled from the network: growth past it is ERR_LIMIT, never an unbounded allocation.
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
};

/* An empty buffer that may hold up to max bytes; allocates nothing. */
static inline void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){.max = max};
}

/* Frees the content; the struct may be initialised again. Safe on a zeroed struct. */
void buf_release(struct buf *b);

/* Forgets the content and keeps the memory. */
void buf_reset(struct buf *b);

/* Forgets all but the first len bytes, of which there must be as many. */
static inline void buf_truncate(struct buf *b, size_t len)
{
	b->len = len;
	if (b->ptr)
		b->ptr[len] = '\0';
}

/* All return 0, ERR_LIMIT or ERR_NOMEM; on failure the content is as before. */
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
