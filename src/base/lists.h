/* The arrays that every room needs; see base/vec.h. */
#ifndef BASE_LISTS_H
#define BASE_LISTS_H

#include "base/slice.h"
#include "base/vec.h"

VEC_DECLARE(slice_vec, slice);
VEC_DECLARE(u32_vec, uint32_t);
VEC_DECLARE(text_list, const char *); /* strings are borrowed */

/* Appends a copy of n numbers: all of them, or ERR_NOMEM. */
SP_MUST_CHECK static inline int u32_vec_add(struct u32_vec *v, const uint32_t *numbers, size_t n)
{
	int rc = u32_vec_try_reserve(v, n);

	if (rc == 0 && n > 0)
		memcpy(v->ptr + v->len, numbers, n * sizeof *numbers);
	v->len += rc ? 0 : n;
	return rc;
}

SP_UNUSED static inline bool text_list_has(const struct text_list *list, const char *text)
{
	for (size_t i = 0; i < list->len; i++)
		if (strcmp(list->ptr[i], text) == 0)
			return true;
	return false;
}

#endif
