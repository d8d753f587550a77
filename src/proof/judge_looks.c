#include "proof/judge_looks.h"

#include <stdlib.h>

#define ARENA_MAX ((size_t)16 << 30)

void judge_looks_init(struct judge_looks *l, const char *tmp_dir)
{
	*l = (struct judge_looks){0};
	arena_init(&l->arena, ARENA_MAX);
	words_init(&l->pages, &l->arena);
	words_init(&l->words, &l->arena);
	evidence_init(&l->evidence, &l->words, tmp_dir);
}

void judge_looks_release(struct judge_looks *l)
{
	judge_look_vec_release(&l->list);
	judge_edge_vec_release(&l->edges);
	words_release(&l->pages);
	words_release(&l->words);
	evidence_release(&l->evidence);
	arena_release(&l->arena);
	*l = (struct judge_looks){0};
}

struct judge_look *judge_looks_find(const struct judge_looks *l, slice id)
{
	struct evidence e;

	return evidence_find(&l->evidence, id, &e) != EVIDENCE_NONE && e.look
		       ? &l->list.ptr[e.look - 1]
		       : NULL;
}

struct observation judge_look_observe(const struct judge_looks *l, const struct judge_look *look)
{
	bool has_state = look->sound && look->shown.whole && look->resolved;
	slice stand_in = words_text(&l->words, look->shown.stand_in);

	return (struct observation){
		.made = true,
		.status = look->shown.status,
		.whole = has_state,
		.key = {.has_state = has_state,
			.has_class = has_state && look->has_class,
			.state = look->shown.state,
			.class = look->class},
		.start = look->begin,
		.end = look->end,
		.stand_in = stand_in.len ? stand_in : (slice){0},
		.close_delimited = look->shown.close_delimited,
		.rule_set = look->rule_set,
		.masked = look->masked,
		.rules = words_text(&l->words, look->rules),
	};
}

static int by_page_and_time(const void *a, const void *b, void *context)
{
	const struct judge_look *list = context;
	const struct judge_look *x = &list[*(const uint32_t *)a], *y = &list[*(const uint32_t *)b];

	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

void judge_looks_sort(const struct judge_looks *l, bool is_usable, struct u32_vec *ret)
{
	for (uint32_t i = 0; i < l->list.len; i++) {
		struct observation o = judge_look_observe(l, &l->list.ptr[i]);

		if (!l->list.ptr[i].dropped &&
			(!is_usable || (observation_is_usable(&o) && o.status < 400)))
			u32_vec_push(ret, i);
	}
	if (ret->len > 1)
		qsort_r(ret->ptr, ret->len, sizeof *ret->ptr, by_page_and_time, l->list.ptr);
}
