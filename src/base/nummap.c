#include "base/nummap.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum { FIRST_SLOTS = 64 };

void nummap_release(struct nummap *m)
{
	free(m->slots);
	*m = (struct nummap){0};
}

void nummap_reset(struct nummap *m)
{
	if (m->slots)
		memset(m->slots, 0xff, m->slot_count * sizeof *m->slots);
	m->len = 0;
}

/* The slot of the key, or the free one where it belongs. Keys that are near each other lie apart.
 */
static struct nummap_entry *slot_of(const struct nummap *m, uint64_t key)
{
	size_t mask = m->slot_count - 1;
	size_t at = (size_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & mask;

	while (m->slots[at].value != NUMMAP_NONE && m->slots[at].key != key)
		at = (at + 1) & mask;
	return &m->slots[at];
}

struct nummap_entry *nummap_find(const struct nummap *m, uint64_t key)
{
	struct nummap_entry *e = m->slot_count ? slot_of(m, key) : NULL;

	return e && e->value != NUMMAP_NONE ? e : NULL;
}

static int grow(struct nummap *m)
{
	struct nummap larger = {.slot_count = m->slot_count ? 2 * m->slot_count : FIRST_SLOTS};

	larger.slots = malloc(larger.slot_count * sizeof *larger.slots);
	if (!larger.slots) {
		mem_out();
		return ERR_NOMEM;
	}
	nummap_reset(&larger);
	for (size_t i = 0; i < m->slot_count; i++)
		if (m->slots[i].value != NUMMAP_NONE)
			*slot_of(&larger, m->slots[i].key) = m->slots[i];
	larger.len = m->len;
	nummap_release(m);
	*m = larger;
	return 0;
}

int nummap_put(
	struct nummap *m, uint64_t key, uint32_t value, struct nummap_entry **ret, bool *ret_new)
{
	int rc = 4 * (m->len + 1) > 3 * m->slot_count ? grow(m) : 0;
	struct nummap_entry *e;
	bool is_new;

	if (rc)
		return rc;
	e = slot_of(m, key);
	is_new = e->value == NUMMAP_NONE;
	if (is_new) {
		*e = (struct nummap_entry){key, value, NUMMAP_NONE};
		m->len++;
	}
	if (ret_new)
		*ret_new = is_new;
	*ret = e;
	return 0;
}

struct nummap_entry *nummap_need(struct nummap *m, uint64_t key, uint32_t value, bool *ret_new)
{
	struct nummap_entry *e;

	if (nummap_put(m, key, value, &e, ret_new))
		mem_end();
	return e;
}
