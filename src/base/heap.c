#include "base/heap.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

static bool before(struct heap_key a, struct heap_key b)
{
	if (a.key != b.key)
		return a.key < b.key;
	return a.seq < b.seq;
}

void heap_init(struct heap *h)
{
	*h = (struct heap){0};
}

void heap_release(struct heap *h)
{
	free(h->keys);
	free(h->ids);
	free(h->places);
	heap_init(h);
}

/* Makes each of the three arrays hold need elements; those of places begin as "not there". */
static int grow(struct heap *h, size_t need_len, size_t need_places)
{
	size_t had = h->places_cap;
	void *ptr;

	if (need_len > h->keys_cap) {
		ptr = vec_grow(h->keys, &h->keys_cap, need_len, sizeof *h->keys);
		if (!ptr)
			return ERR_NOMEM;
		h->keys = ptr;
	}
	if (need_len > h->ids_cap) {
		ptr = vec_grow(h->ids, &h->ids_cap, need_len, sizeof *h->ids);
		if (!ptr)
			return ERR_NOMEM;
		h->ids = ptr;
	}
	if (need_places > had) {
		ptr = vec_grow(h->places, &h->places_cap, need_places, sizeof *h->places);
		if (!ptr)
			return ERR_NOMEM;
		h->places = ptr;
		memset(h->places + had, 0, (h->places_cap - had) * sizeof *h->places);
	}
	return 0;
}

int heap_reserve(struct heap *h, size_t count)
{
	return grow(h, count, count);
}

static void put(struct heap *h, size_t at, uint32_t id, struct heap_key key)
{
	h->keys[at] = key;
	h->ids[at] = id;
	h->places[id] = (uint32_t)at + 1;
}

/* Finds the place for id at or above the hole at. */
static void sift_up(struct heap *h, size_t at, uint32_t id, struct heap_key key)
{
	while (at > 0) {
		size_t parent = (at - 1) / 2;

		if (!before(key, h->keys[parent]))
			break;
		put(h, at, h->ids[parent], h->keys[parent]);
		at = parent;
	}
	put(h, at, id, key);
}

/* Finds the place for id at or below the hole at. */
static void sift_down(struct heap *h, size_t at, uint32_t id, struct heap_key key)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= h->len)
			break;
		if (child + 1 < h->len && before(h->keys[child + 1], h->keys[child]))
			child++;
		if (!before(h->keys[child], key))
			break;
		put(h, at, h->ids[child], h->keys[child]);
		at = child;
	}
	put(h, at, id, key);
}

/* Either way from the hole; at most one of the two moves anything. */
static void sift(struct heap *h, size_t at, uint32_t id, struct heap_key key)
{
	if (at > 0 && before(key, h->keys[(at - 1) / 2]))
		sift_up(h, at, id, key);
	else
		sift_down(h, at, id, key);
}

int heap_push(struct heap *h, uint32_t id, struct heap_key key)
{
	assert(!isnan(key.key));
	if (heap_contains(h, id))
		return ERR_EXISTS;
	TRY(grow(h, h->len + 1, (size_t)id + 1));
	h->len++;
	sift_up(h, h->len - 1, id, key);
	return 0;
}

bool heap_peek(const struct heap *h, uint32_t *ret_id, struct heap_key *ret_key)
{
	if (h->len == 0)
		return false;
	*ret_id = h->ids[0];
	if (ret_key)
		*ret_key = h->keys[0];
	return true;
}

bool heap_pop(struct heap *h, uint32_t *ret_id, struct heap_key *ret_key)
{
	return heap_peek(h, ret_id, ret_key) && heap_remove(h, *ret_id);
}

bool heap_contains(const struct heap *h, uint32_t id)
{
	return id < h->places_cap && h->places[id] != 0;
}

bool heap_remove(struct heap *h, uint32_t id)
{
	size_t at;

	if (!heap_contains(h, id))
		return false;
	at = h->places[id] - 1;
	h->places[id] = 0;
	h->len--;
	if (at != h->len)
		sift(h, at, h->ids[h->len], h->keys[h->len]);
	return true;
}

bool heap_update(struct heap *h, uint32_t id, struct heap_key key)
{
	assert(!isnan(key.key));
	if (!heap_contains(h, id))
		return false;
	sift(h, h->places[id] - 1, id, key);
	return true;
}

void heap_set(struct heap *h, uint32_t id, struct heap_key key)
{
	if (!heap_update(h, id, key) && heap_push(h, id, key))
		mem_end();
}
