/*
 * Places of a page that probes have shown to vary by themselves, by their keys
 * (proof_place.key). A learned place explains a difference only if both values are words of
 * machines or drawn at random, and never text or addresses.
 */
#ifndef PROOF_LEARNED_H
#define PROOF_LEARNED_H

#include <stdbool.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/slice.h"

enum { PROOF_LEARNED_BYTES_MAX = 8 << 20 }; /* of all keys */

/* Fields are its own. */
struct proof_learned {
	struct arena arena;
	struct strmap keys;
};

/* An empty set; allocates nothing. */
void proof_learned_init(struct proof_learned *l);
void proof_learned_release(struct proof_learned *l);

/* Adds a key, which may be there already. 0, ERR_LIMIT or ERR_NOMEM. */
int proof_learned_add(struct proof_learned *l, slice where) SP_MUST_CHECK;

bool proof_learned_has(const struct proof_learned *l, slice where);

#endif
