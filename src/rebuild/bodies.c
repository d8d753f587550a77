#include "rebuild/bodies.h"

#include <string.h>

#include "quality/manner.h"

enum { CODINGS_MAX = 64 << 20 };

void bodies_init(struct bodies *o, struct spill_pool *pool)
{
	*o = (struct bodies){0};
	seen_init(&o->numbers, hash_key_random(), hash_key_random());
	spill_init(&o->rows, pool);
	arena_init(&o->arena, CODINGS_MAX);
	words_init(&o->codings, &o->arena);
}

void bodies_release(struct bodies *o)
{
	seen_release(&o->numbers);
	spill_release(&o->rows);
	words_release(&o->codings);
	arena_release(&o->arena);
}

int bodies_add(struct bodies *o, slice record, const struct state_result *state, uint64_t manner,
	slice links, struct err *err)
{
	uint32_t number = (uint32_t)seen_count(&o->numbers);
	struct body row = {
		.payload = state->payload,
		.body = state->body,
		.manner = manner,
		.coding = manner_coding(state->coding, manner),
		.whole = state->whole,
		.decoded = state->decoded,
		.coding_end = (uint8_t)state->coding_end,
		.links_size = (uint16_t)(links.len <= LINK_SET_SIZE_MAX ? links.len : 0),
	};
	int rc = words_number(&o->codings, state->coding, &row.codings);

	if (rc == 0)
		rc = seen_add(&o->numbers, record, number);
	if (rc == ERR_EXISTS)
		return 0;
	if (rc)
		return err_code(err, rc);
	if (row.links_size)
		memcpy(row.links, links.ptr, row.links_size);
	return spill_write(&o->rows, (uint64_t)number * sizeof row, &row, sizeof row, err);
}

int bodies_find(struct bodies *o, slice record, struct body *ret, struct err *err)
{
	uint32_t number;

	if (!record.ptr || !seen_find(&o->numbers, record, &number))
		return ERR_NOTFOUND;
	return spill_read(&o->rows, (uint64_t)number * sizeof *ret, ret, sizeof *ret, err);
}

struct state_result bodies_state(const struct bodies *o, const struct body *of)
{
	return (struct state_result){
		.whole = of->whole,
		.decoded = of->decoded,
		.coding_end = (enum coding_end)of->coding_end,
		.payload = of->payload,
		.body = of->body,
		.coding = words_text(&o->codings, of->codings),
	};
}
