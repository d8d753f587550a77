#include "proof/quality_words.h"

#include <assert.h>

#include "base/mem.h"

void words_init(struct words *w, struct arena *arena)
{
	*w = (struct words){.arena = arena};
	strmap_init(&w->map, hash_key_random(), NULL);
}

void words_release(struct words *w)
{
	strmap_release(&w->map);
	slice_vec_release(&w->list);
}

slice words_text(const struct words *w, uint32_t number)
{
	assert(number < w->list.len);
	return w->list.ptr[number];
}

uint32_t words_put(struct words *w, slice text)
{
	uint32_t number = (uint32_t)w->list.len;

	if (strmap_get(&w->map, text, &number))
		return number;
	slice_vec_push(&w->list, arena_keep(w->arena, text.ptr ? text : SLICE("")));
	if (strmap_put(&w->map, w->list.ptr[number], number))
		mem_end();
	return number;
}

slice words_copy(struct words *w, slice text)
{
	return text.ptr ? words_text(w, words_put(w, text)) : text;
}
