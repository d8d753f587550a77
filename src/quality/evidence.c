#include "quality/evidence.h"

#include "extract/noise_rules.h"

#include "base/err.h"

void evidence_init(struct evidence_table *t, struct arena *arena)
{
	*t = (struct evidence_table){0};
	t->key = hash_key_random();
	strmap_init(&t->ids, hash_key_random(), arena);
}

void evidence_release(struct evidence_table *t)
{
	strmap_release(&t->ids);
	evidence_vec_release(&t->list);
}

int evidence_add(struct evidence_table *t, slice id, const struct evidence *e)
{
	int rc = evidence_vec_reserve(&t->list, 1);

	if (rc == 0)
		rc = strmap_put(&t->ids, id, (uint32_t)t->list.len);
	if (rc == 0)
		t->list.ptr[t->list.len++] = *e;
	return rc;
}

struct evidence *evidence_find(const struct evidence_table *t, slice id)
{
	uint32_t at;

	if (!id.ptr || !strmap_get(&t->ids, id, &at))
		return NULL;
	return &t->list.ptr[at];
}

uint64_t evidence_served(const struct evidence_table *t, const struct attempt *a)
{
	uint64_t parts[] = {(uint64_t)a->modified, a->age.known, a->age.seconds,
		a->etag.ptr ? hash_bytes(t->key, a->etag) : 0,
		a->caches.ptr ? hash_bytes(t->key, a->caches) : 0};

	if (!a->modified && !a->age.known && !a->etag.ptr && !a->caches.ptr)
		return 0;
	return hash_bytes(t->key, (slice){(const char *)parts, sizeof parts});
}

const char *evidence_rules_fault(
	const struct evidence_table *t, const struct evidence *e, const struct attempt *a)
{
	if (a->close_delimited && !e->close_delimited)
		return "that the body is close-delimited, the response that it is not";
	if (a->rule_set == 0)
		return a->has_normal || a->rules.ptr || a->masked
			       ? "what rules made of the response, but not which version of them"
			       : NULL;
	if (a->rule_set != NOISE_VERSION)
		return "what another version of the rules made of the response: not recomputed";
	if (!e->is_read && e->is_revisit)
		return "what rules made of a body that its record does not hold: not recomputed";
	if (!e->is_read)
		return "what rules made of the response, to which they do not apply";
	if (a->has_normal != e->has_normal || (a->has_normal && !digest_eq(&a->normal, &e->normal)))
		return "another normalised digest than the response";
	if (a->masked != e->masked || hash_bytes(t->key, a->rules) != e->rules)
		return "that other rules acted than the response";
	return NULL;
}
