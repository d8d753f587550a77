#include "similar/simhash.h"

void simhash_add(struct simhash *s, uint64_t feature)
{
	if (s->features == UINT32_MAX)
		return;
	for (unsigned i = 0; i < SIMHASH_BITS; i++)
		s->ones[i] += (uint32_t)(feature >> i & 1);
	s->features++;
}

uint64_t simhash_finish(const struct simhash *s)
{
	uint64_t hash = 0;

	for (unsigned i = 0; i < SIMHASH_BITS; i++)
		hash |= (uint64_t)(s->ones[i] > s->features / 2) << i;
	return hash;
}

unsigned simhash_distance(uint64_t a, uint64_t b)
{
	return (unsigned)__builtin_popcountll(a ^ b);
}
