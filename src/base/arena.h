/*
 * Memory for one unit of work (a parse, a request, a table): allocated piece by piece, freed all at
 * once. Every arena has a maximum, given at init, because most are filled from the network.
 *
 * The program takes pieces that are never NULL: without memory it ends (base/mem.h), and the
 * maximum is only counted. Who fills an arena from the network asks arena_full after each thing it
 * read, and answers ERR_LIMIT. The library takes pieces that are NULL at the maximum or without
 * memory.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"
#include "base/slice.h"

struct arena_chunk;

/* Fields are the arena's own. */
struct arena {
	struct arena_chunk *first; /* kept by arena_reset */
	struct arena_chunk *last;  /* where the next piece is cut from */
	size_t used;               /* bytes of the last chunk */
	size_t held;               /* bytes of all chunks */
	size_t max;                /* of held */
	bool small;                /* the first chunk is */
};

/*
 * An empty arena that may hold up to max bytes; allocates nothing. The second one begins with 256
 * bytes instead of 4 KiB: for things of which there are thousands, each with an arena.
 */
void arena_init(struct arena *a, size_t max);
void arena_init_small(struct arena *a, size_t max);

/* Frees all pieces; the struct may be used again. Safe on a zeroed struct. */
void arena_release(struct arena *a);

/* Frees all pieces and keeps the first chunk of memory for the next unit of work. */
void arena_reset(struct arena *a);

/*
 * For the program; never NULL. A piece that is not cleared, zeroed memory for one object or for
 * count of them, and copies of the bytes with a NUL behind them.
 */
void *arena_need(struct arena *a, size_t size, size_t align) SP_NONNULL_RESULT;
#define ARENA_NEED(a, type) ARENA_NEED_ARRAY((a), type, 1)
#define ARENA_NEED_ARRAY(a, type, count) \
	((type *)arena_need_array((a), (count), sizeof(type), alignof(type)))
void *arena_need_array(struct arena *a, size_t count, size_t size, size_t align) SP_NONNULL_RESULT;
char *arena_str(struct arena *a, slice s) SP_NONNULL_RESULT;

/* The same as a slice; where s.ptr is NULL, that. */
slice arena_keep(struct arena *a, slice s);

/* Whether it holds more than its maximum. */
static inline bool arena_full(const struct arena *a)
{
	return a->held > a->max;
}

/*
 * For the library. A piece of size bytes (0 is fine) at a multiple of align, a power of two up to
 * that of max_align_t; valid until arena_reset or arena_release. NULL at the maximum or without
 * memory. The second one fills it with zeros.
 */
void *arena_alloc(struct arena *a, size_t size, size_t align) SP_MUST_CHECK;
void *arena_zalloc(struct arena *a, size_t size, size_t align) SP_MUST_CHECK;

/* Zeroed memory for one object, or for count of them (overflow is NULL), of a type. */
#define ARENA_NEW(a, type)          ((type *)arena_zalloc((a), sizeof(type), alignof(type)))
#define ARENA_ARRAY(a, type, count) ((type *)arena_array((a), (count), sizeof(type), alignof(type)))
void *arena_array(struct arena *a, size_t count, size_t size, size_t align) SP_MUST_CHECK;

/* A copy of the bytes with a NUL behind them; NULL as above. */
char *arena_strdup(struct arena *a, slice s) SP_MUST_CHECK;

#endif
