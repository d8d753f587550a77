#include "proof/proof.h"

enum { PROOF_MEMORY_MAX = 64 << 20 }; /* bytes of the texts of a result */

const char *proof_in_name(unsigned bit)
{
	static const char *const NAMES[PROOF_IN_COUNT] = {
		"text", "links", "structure", "attributes", "code", "style", "data"};

	return NAMES[bit];
}

const char *proof_same_name(enum proof_same same)
{
	static const char *const NAMES[] = {
		[PROOF_BYTES] = "bytes", [PROOF_NORMALISED] = "normalised"};

	return NAMES[same];
}

int proof_compare(const struct proof_params *params, struct proof *ret)
{
	*ret = (struct proof){0};
	arena_init(&ret->arena, PROOF_MEMORY_MAX);
	if (slice_eq(params->a.body, params->b.body))
		ret->same = PROOF_BYTES;
	return 0;
}

void proof_release(struct proof *c)
{
	proof_places_release(&c->places);
	proof_rules_release(&c->rules);
	proof_duties_release(&c->duties);
	arena_release(&c->arena);
}
