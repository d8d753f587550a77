/*
 * A borrowed run of bytes. It owns nothing and need not end in NUL; whoever hands it out says
 * how long it stays valid.
 */
#ifndef BASE_SLICE_H
#define BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct slice {
	const char *ptr;
	size_t len;
} slice;

/* A slice of a string literal. */
#define SLICE(lit) ((slice){(lit), sizeof(lit) - 1})

/* The same as an initialiser in a static table. */
#define SLICE_INIT(lit)                \
	{                              \
		(lit), sizeof(lit) - 1 \
	}

static inline slice slice_str(const char *s)
{
	return (slice){s, strlen(s)};
}

static inline bool slice_eq(slice a, slice b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* Bytes [from, to); both are clamped to the slice. */
static inline slice slice_sub(slice s, size_t from, size_t to)
{
	if (to > s.len)
		to = s.len;
	if (from > to)
		from = to;
	return (slice){from ? s.ptr + from : s.ptr, to - from};
}

static inline bool slice_starts_with(slice s, slice start)
{
	return slice_eq(slice_sub(s, 0, start.len), start);
}

static inline bool slice_ends_with(slice s, slice end)
{
	return s.len >= end.len && slice_eq(slice_sub(s, s.len - end.len, s.len), end);
}

/* Takes what stands before the first byte c, and c itself, off *rest; all of it without one. */
static inline slice slice_take(slice *rest, char c)
{
	const char *separator = rest->len ? (const char *)memchr(rest->ptr, c, rest->len) : NULL;
	slice taken = slice_sub(*rest, 0, separator ? (size_t)(separator - rest->ptr) : rest->len);

	*rest = slice_sub(*rest, taken.len + (separator != NULL), rest->len);
	return taken;
}

/* What stands behind the last '/' of a path. */
static inline slice slice_base_name(slice path)
{
	size_t from = path.len;

	while (from > 0 && path.ptr[from - 1] != '/')
		from--;
	return slice_sub(path, from, path.len);
}

/* The precision of a "%.*s" that shows the slice, cut at max bytes. */
static inline int slice_shown(slice s, size_t max)
{
	return (int)(s.len < max ? s.len : max);
}

#endif
