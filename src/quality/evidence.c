#include "quality/evidence.h"

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

void evidence_claim(const struct evidence_table *t, struct evidence *e, const struct attempt *a)
{
	e->has_class = a->has_class;
	e->class = a->class;
	e->rules = hash_bytes(t->key, a->rules);
	e->masked = a->masked;
	e->rule_set = a->rule_set;
	e->sent = a->wall.sent;
}

bool evidence_claims_same(
	const struct evidence_table *t, const struct evidence *e, const struct attempt *a)
{
	return a->has_class == e->has_class && (!a->has_class || digest_eq(&a->class, &e->class)) &&
	       a->masked == e->masked && a->rule_set == e->rule_set &&
	       hash_bytes(t->key, a->rules) == e->rules;
}
