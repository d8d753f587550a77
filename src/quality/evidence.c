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
