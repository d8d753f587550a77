/*
 * SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012) and a hash table
 * from bytes to numbers. The hash is keyed because the keys come from the network: who does not
 * know it cannot make them collide.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/slice.h"

struct hash_key {
	uint64_t k0;
	uint64_t k1;
};

/* A key that nobody can guess, from the system. */
struct hash_key hash_key_random(void);

uint64_t hash_bytes(struct hash_key key, slice bytes);

/* 128 bits, where a collision must not happen, for little more than 64. */
struct hash128 {
	uint64_t first, second;
};

struct hash128 hash_bytes_128(struct hash_key key, slice bytes);

struct strmap_slot;
struct strmap_entry;

/*
 * A map from byte strings to uint32_t, open addressing with linear probing. Keys are borrowed for
 * the life of the map or, when it is given an arena, copied into that. At most 2^31 keys of less
 * than 4 GiB each; about 30 bytes for each besides its own.
 */
struct strmap {
	struct hash_key key;
	struct arena *arena; /* borrowed; NULL when keys are */
	struct strmap_slot *slots;
	struct strmap_entry *entries; /* in the order of their coming */
	size_t slot_count;            /* a power of two, or 0 */
	size_t entry_cap;
	size_t len;
};

/* An empty map; allocates nothing. arena may be NULL. */
void strmap_init(struct strmap *m, struct hash_key key, struct arena *arena);

/* Frees the map but no key; it is empty then and may be used again. */
void strmap_release(struct strmap *m);

/*
 * Forgets all keys and keeps the memory, unless it is much; what an arena holds is the caller's to
 * forget.
 */
void strmap_reset(struct strmap *m);

/*
 * Adds a key. 0, or ERR_EXISTS when it is there (its value stays), ERR_LIMIT for a key that is too
 * long or one too many, ERR_NOMEM also when the arena is at its maximum.
 */
int strmap_put(struct strmap *m, slice key, uint32_t value) SP_MUST_CHECK;

/*
 * The same for the program, which ends without memory: whether the key is new. An arena may then
 * hold more than its maximum (arena_full).
 */
bool strmap_add(struct strmap *m, slice key, uint32_t value);

/* The key that was added last, as the map has it: its copy, if keys are copied. */
slice strmap_newest(const struct strmap *m);

/* Whether the key is there; its value goes to *ret_value, which may be NULL. */
bool strmap_get(const struct strmap *m, slice key, uint32_t *ret_value);

#endif
