/*
 * A priority queue of numbers 0, 1, 2, … (pages, hosts) that can be found again: a binary heap
 * with the smallest key at its top; among equal keys the smaller sequence number goes first, so
 * that the order is always determined. For the largest first, negate the key. 24 bytes for each
 * number up to the largest, when reserved.
 */
#ifndef BASE_HEAP_H
#define BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"

struct heap_key {
	double key; /* never NaN */
	uint64_t seq;
};

/*
 * Fields are the heap's own. keys and ids are parallel and in heap order: sifting compares keys
 * that lie side by side without looking anywhere else.
 */
struct heap {
	struct heap_key *keys;
	uint32_t *ids;
	uint32_t *places; /* by id: its index in keys and ids plus one, or 0 */
	size_t len;
	size_t keys_cap;
	size_t ids_cap;
	size_t places_cap;
};

/* An empty heap; allocates nothing. */
void heap_init(struct heap *h);

/* Frees the arrays; the heap is empty then and may be used again. Safe on a zeroed struct. */
void heap_release(struct heap *h);

/* Makes room for all ids below count, so that pushing them cannot fail: 0 or ERR_NOMEM. */
int heap_reserve(struct heap *h, size_t count) SP_MUST_CHECK;

/* 0, ERR_EXISTS when id is in the heap already, ERR_NOMEM. Memory follows the largest id. */
int heap_push(struct heap *h, uint32_t id, struct heap_key key) SP_MUST_CHECK;

/* For the program, which ends without memory: gives id the key, whether or not it is there. */
void heap_set(struct heap *h, uint32_t id, struct heap_key key);

/* The id at the top, and its key when asked for; false when the heap is empty. */
bool heap_peek(const struct heap *h, uint32_t *ret_id, struct heap_key *ret_key);

/* The same, and takes it off. */
bool heap_pop(struct heap *h, uint32_t *ret_id, struct heap_key *ret_key);

bool heap_contains(const struct heap *h, uint32_t id);

/* Takes id out, wherever it is; false when it is not there. */
bool heap_remove(struct heap *h, uint32_t id);

/* Gives id another key; false when it is not there. */
bool heap_update(struct heap *h, uint32_t id, struct heap_key key);

#endif
