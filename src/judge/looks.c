#include "judge/looks.h"

#include <string.h>

#include "base/err.h"

#define ARENA_MAX ((size_t)16 << 30)

void judge_looks_init(struct judge_looks *l)
{
	*l = (struct judge_looks){0};
	arena_init(&l->arena, ARENA_MAX);
	words_init(&l->pages, &l->arena);
	words_init(&l->words, &l->arena);
	strmap_init(&l->ids, hash_key_random(), &l->arena);
	strmap_init(&l->payloads, hash_key_random(), &l->arena);
}

void judge_looks_release(struct judge_looks *l)
{
	judge_look_vec_release(&l->list);
	judge_edge_vec_release(&l->edges);
	words_release(&l->pages);
	words_release(&l->words);
	strmap_release(&l->ids);
	strmap_release(&l->payloads);
	arena_release(&l->arena);
	*l = (struct judge_looks){0};
}

int judge_looks_add(struct judge_looks *l, slice id, const struct judge_look *look)
{
	int rc = judge_look_vec_reserve(&l->list, 1);

	if (rc == 0 && l->list.len == UINT32_MAX)
		rc = ERR_LIMIT;
	if (rc == 0 && id.len > 0)
		rc = strmap_put(&l->ids, id, (uint32_t)l->list.len);
	if (rc == 0)
		l->list.ptr[l->list.len++] = *look;
	return rc;
}

struct judge_look *judge_looks_find(const struct judge_looks *l, slice id)
{
	uint32_t at;

	return id.len > 0 && strmap_get(&l->ids, id, &at) ? &l->list.ptr[at] : NULL;
}

/* Producers spell one digest in several ways; what is compared is its bytes. */
static bool payload_key(slice stated, struct digest *d, slice *ret)
{
	*d = (struct digest){0};
	if (!stated.ptr || digest_parse(stated, d))
		return false;
	*ret = (slice){(const char *)d, sizeof *d};
	return true;
}

int judge_looks_note_payload(struct judge_looks *l, slice stated, uint32_t look)
{
	struct digest d;
	slice key;
	int rc;

	if (!payload_key(stated, &d, &key))
		return 0;
	rc = strmap_put(&l->payloads, key, look);
	return rc == ERR_EXISTS ? 0 : rc;
}

const struct judge_look *judge_looks_by_payload(const struct judge_looks *l, slice stated)
{
	struct digest d;
	uint32_t at;
	slice key;

	if (!payload_key(stated, &d, &key) || !strmap_get(&l->payloads, key, &at))
		return NULL;
	return &l->list.ptr[at];
}

struct observation judge_look_observe(const struct judge_looks *l, const struct judge_look *look)
{
	bool has_state = look->sound && look->whole && look->resolved;
	slice stand_in = words_text(&l->words, look->stand_in);

	return (struct observation){
		.made = true,
		.status = look->status,
		.whole = has_state,
		.key = {.has_state = has_state,
			.has_class = has_state && look->has_class,
			.state = look->state,
			.class = look->class},
		.start = look->begin,
		.end = look->end,
		.stand_in = stand_in.len ? stand_in : (slice){0},
		.close_delimited = look->close_delimited,
		.rule_set = look->rule_set,
		.masked = look->masked,
		.rules = words_text(&l->words, look->rules),
	};
}
