#include "proof/learned.h"

#include "base/err.h"

void proof_learned_init(struct proof_learned *l)
{
	arena_init(&l->arena, PROOF_LEARNED_BYTES_MAX);
	strmap_init(&l->keys, hash_key_random(), &l->arena);
}

void proof_learned_release(struct proof_learned *l)
{
	strmap_release(&l->keys);
	arena_release(&l->arena);
}

int proof_learned_add(struct proof_learned *l, slice where)
{
	int rc = strmap_put(&l->keys, where, 0);

	return rc == ERR_EXISTS ? 0 : rc;
}

bool proof_learned_has(const struct proof_learned *l, slice where)
{
	return strmap_get(&l->keys, where, NULL);
}
