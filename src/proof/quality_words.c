#include "proof/quality_words.h"

#include <assert.h>
#include <stdlib.h>

#include "base/err.h"
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

int words_number(struct words *w, slice text, uint32_t *ret)
{
	uint32_t number = (uint32_t)w->list.len;
	slice copy;
	int rc;

	if (strmap_get(&w->map, text, ret))
		return 0;
	copy = (slice){arena_strdup(w->arena, text), text.len};
	if (!copy.ptr)
		return ERR_NOMEM;
	rc = slice_vec_reserve(&w->list, 1);
	if (rc == 0)
		rc = strmap_put(&w->map, copy, number);
	if (rc == 0) {
		w->list.ptr[w->list.len++] = copy;
		*ret = number;
	}
	return rc;
}

slice words_text(const struct words *w, uint32_t number)
{
	assert(number < w->list.len);
	return w->list.ptr[number];
}

uint32_t words_put(struct words *w, slice text)
{
	uint32_t number;

	if (words_number(w, text, &number)) {
		mem_out();
		abort();
	}
	return number;
}

slice words_copy(struct words *w, slice text)
{
	return text.ptr ? words_text(w, words_put(w, text)) : text;
}

int words_keep(struct words *w, slice text, slice *ret)
{
	uint32_t number;
	int rc;

	if (!text.ptr) {
		*ret = text;
		return 0;
	}
	rc = words_number(w, text, &number);
	if (rc == 0)
		*ret = words_text(w, number);
	return rc;
}
