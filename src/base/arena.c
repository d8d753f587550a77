#include "base/arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

/* The sanitizer is told which bytes are not handed out, so that it sees overruns here too. */
#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif
#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(ptr, len)   ASAN_POISON_MEMORY_REGION((ptr), (len))
#define UNPOISON(ptr, len) ASAN_UNPOISON_MEMORY_REGION((ptr), (len))
#else
#define POISON(ptr, len)   ((void)(ptr), (void)(len))
#define UNPOISON(ptr, len) ((void)(ptr), (void)(len))
#endif

enum {
	FIRST_CHUNK = 4 << 10,
	SMALL_CHUNK = 256,
	LARGEST_CHUNK = 1 << 20, /* but for a single piece that is larger */
};

struct arena_chunk {
	struct arena_chunk *next;
	size_t cap;
	alignas(max_align_t) char data[];
};

void arena_init(struct arena *a, size_t max)
{
	*a = (struct arena){.max = max};
}

void arena_init_small(struct arena *a, size_t max)
{
	*a = (struct arena){.max = max, .small = true};
}

static void free_chunks(struct arena_chunk *c)
{
	while (c) {
		struct arena_chunk *next = c->next;

		UNPOISON(c->data, c->cap);
		free(c);
		c = next;
	}
}

void arena_release(struct arena *a)
{
	free_chunks(a->first);
	*a = (struct arena){.max = a->max, .small = a->small};
}

void arena_reset(struct arena *a)
{
	if (!a->first)
		return;
	free_chunks(a->first->next);
	a->first->next = NULL;
	a->last = a->first;
	a->used = 0;
	a->held = a->first->cap;
	POISON(a->first->data, a->first->cap);
}

/* Doubling keeps the number of chunks small; the cap keeps a mostly empty last one small. */
static size_t chunk_size(const struct arena *a, size_t need)
{
	size_t room = a->max > a->held ? a->max - a->held : 0;
	size_t cap = a->last ? a->last->cap : (a->small ? SMALL_CHUNK : FIRST_CHUNK) / 2;

	cap = cap < LARGEST_CHUNK / 2 ? cap * 2 : LARGEST_CHUNK;
	if (cap < need)
		cap = need;
	return cap < room ? cap : room;
}

/* Beyond: the maximum does not matter. */
static struct arena_chunk *add_chunk(struct arena *a, size_t need, bool beyond)
{
	struct arena_chunk *c;
	size_t cap = chunk_size(a, need);

	if (beyond && cap < need)
		cap = need < SMALL_CHUNK ? SMALL_CHUNK : need;
	if (cap < need || cap > PTRDIFF_MAX - sizeof *c)
		return NULL;
	c = malloc(sizeof *c + cap);
	if (!c) {
		mem_out();
		return NULL;
	}
	c->next = NULL;
	c->cap = cap;
	POISON(c->data, cap);
	if (a->last)
		a->last->next = c;
	else
		a->first = c;
	a->last = c;
	a->used = 0;
	a->held += cap;
	return c;
}

static void *cut(struct arena *a, size_t size, size_t align, bool beyond)
{
	struct arena_chunk *c = a->last;
	size_t at = (a->used + align - 1) & ~(align - 1);

	assert(align > 0 && (align & (align - 1)) == 0 && align <= alignof(max_align_t));
	if (!c || at > c->cap || size > c->cap - at) {
		c = add_chunk(a, size, beyond);
		at = 0;
	}
	if (!c)
		return NULL;
	a->used = at + size;
	UNPOISON(c->data + at, size);
	return c->data + at;
}

void *arena_alloc(struct arena *a, size_t size, size_t align)
{
	return cut(a, size, align, false);
}

void *arena_need(struct arena *a, size_t size, size_t align)
{
	void *piece = cut(a, size, align, true);

	if (!piece)
		mem_end();
	return piece;
}

void *arena_need_array(struct arena *a, size_t count, size_t size, size_t align)
{
	if (size && count > PTRDIFF_MAX / size)
		mem_end();
	return memset(arena_need(a, count * size, align), 0, count * size);
}

char *arena_str(struct arena *a, slice s)
{
	char *copy = arena_need(a, s.len + 1, 1);

	if (s.len)
		memcpy(copy, s.ptr, s.len);
	copy[s.len] = '\0';
	return copy;
}

slice arena_keep(struct arena *a, slice s)
{
	return (slice){s.ptr ? arena_str(a, s) : NULL, s.len};
}

void *arena_zalloc(struct arena *a, size_t size, size_t align)
{
	void *ptr = arena_alloc(a, size, align);

	if (ptr)
		memset(ptr, 0, size);
	return ptr;
}

void *arena_array(struct arena *a, size_t count, size_t size, size_t align)
{
	if (size && count > SIZE_MAX / size)
		return NULL;
	return arena_zalloc(a, count * size, align);
}

char *arena_strdup(struct arena *a, slice s)
{
	char *copy = s.len < SIZE_MAX ? arena_alloc(a, s.len + 1, 1) : NULL;

	if (!copy)
		return NULL;
	if (s.len)
		memcpy(copy, s.ptr, s.len);
	copy[s.len] = '\0';
	return copy;
}
