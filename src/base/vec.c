#include "base/vec.h"

#include <stdint.h>

enum { FIRST_CAP = 8 };

void *vec_grow(void *ptr, size_t *cap, size_t need, size_t elem)
{
	size_t grown = *cap + *cap / 2; /* cannot overflow: an array is at most PTRDIFF_MAX bytes */
	size_t most;
	void *moved;

	assert(elem > 0);
	most = PTRDIFF_MAX / elem;
	if (need > most)
		return NULL;
	if (grown < need)
		grown = need;
	if (grown < FIRST_CAP)
		grown = FIRST_CAP;
	if (grown > most)
		grown = most;
	moved = realloc(ptr, grown * elem);
	if (moved)
		*cap = grown;
	return moved;
}
