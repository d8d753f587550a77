/*
 * A hash table by number: open addressing with linear probing, 16 bytes for each slot, of which at
 * most three of four are taken. Keys are hashes, or numbers of any kind; those that come from the
 * network are made with a secret key (base/hash.h). What belongs to a key is a number, mostly that
 * of an element of a vector, and one more for the user's own use.
 */
#ifndef BASE_NUMMAP_H
#define BASE_NUMMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"

#define NUMMAP_NONE UINT32_MAX /* no value */

struct nummap_entry {
	uint64_t key;
	uint32_t value; /* never NUMMAP_NONE */
	uint32_t other; /* NUMMAP_NONE at first */
};

/* Zeroed, it is empty. len may be read. */
struct nummap {
	struct nummap_entry *slots;
	size_t slot_count; /* a power of two, or 0 */
	size_t len;
};

/* Frees all; it is empty then. */
void nummap_release(struct nummap *m);

/* Forgets all keys and keeps the memory. */
void nummap_reset(struct nummap *m);

/* The key's entry, valid until the next one is put; NULL when there is none. */
struct nummap_entry *nummap_find(const struct nummap *m, uint64_t key);

/*
 * The key's entry; a new one gets the value. *ret_new says whether it is new; NULL: does not
 * matter. 0 or ERR_NOMEM.
 */
int nummap_put(struct nummap *m, uint64_t key, uint32_t value, struct nummap_entry **ret,
	bool *ret_new) SP_MUST_CHECK;

/* The same for the program, which ends without memory: never NULL. */
struct nummap_entry *nummap_need(struct nummap *m, uint64_t key, uint32_t value, bool *ret_new);

#endif
