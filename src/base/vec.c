#include "base/vec.h"

#include <stdint.h>

#include "base/mem.h"

enum {
	FIRST_CAP = 8,
	SMALL = 4096, /* bytes of an array that may waste a third; larger ones, a ninth */
};

void *vec_grow(void *ptr, size_t *cap, size_t need, size_t elem)
{
	/* Cannot overflow: an array is at most PTRDIFF_MAX bytes. */
	size_t grown = *cap + *cap / (*cap * elem < SMALL ? 2 : 8);
	size_t most;
	void *moved;

	assert(elem > 0);
	most = PTRDIFF_MAX / elem;
	if (need > most) {
		mem_out();
		return NULL;
	}
	if (grown < need)
		grown = need;
	if (grown < FIRST_CAP)
		grown = FIRST_CAP;
	if (grown > most)
		grown = most;
	moved = realloc(ptr, grown * elem);
	if (moved)
		*cap = grown;
	else
		mem_out();
	return moved;
}

void *vec_need(void *ptr, size_t *cap, size_t need, size_t elem)
{
	void *moved = vec_grow(ptr, cap, need, elem);

	if (!moved)
		abort();
	return moved;
}
