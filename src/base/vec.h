/*
 * Growable arrays, one type per element type:
 *
 *	VEC_DECLARE(page_vec, struct page);
 *
 *	struct page_vec v = {0};
 *	page_vec_push(&v, page);
 *	for (size_t i = 0; i < v.len; i++)
 *		use(&v.ptr[i]);
 *	page_vec_release(&v);
 *
 * Elements are moved by realloc: pointers into the array last until the next push or reserve. The
 * array owns its memory, not what its elements point to. A zeroed struct is an empty array. There
 * is no maximum: what is filled from the network must be counted by its caller.
 *
 * Without memory, push and reserve end the program (base/mem.h). The library must not do that: it
 * uses try_push and try_reserve, which return 0 or ERR_NOMEM.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/api.h"
#include "base/err.h"

/*
 * Memory for at least need elements of elem bytes (> 0) in place of ptr (which had room for *cap),
 * an eighth again as large as before at least; updates *cap. NULL on overflow or when there is no
 * memory: ptr and *cap are then as before. Used by VEC_DECLARE and by structures with parallel
 * arrays.
 */
void *vec_grow(void *ptr, size_t *cap, size_t need, size_t elem) SP_MUST_CHECK;

/* The same for the program: never NULL. */
void *vec_need(void *ptr, size_t *cap, size_t need, size_t elem) SP_NONNULL_RESULT;

/* clang-format off */
#define VEC_DECLARE(name, type)                                                                    \
	struct name {                                                                              \
		type *ptr;                                                                         \
		size_t len;                                                                        \
		size_t cap;                                                                        \
	};                                                                                         \
                                                                                                   \
	/* Frees the array and leaves it empty. */                                                 \
	SP_UNUSED static inline void name##_release(struct name *v)                                \
	{                                                                                          \
		free(v->ptr);                                                                      \
		*v = (struct name){0};                                                             \
	}                                                                                          \
                                                                                                   \
	/* Makes room for more elements beyond len: 0 or ERR_NOMEM. */                             \
	SP_UNUSED SP_MUST_CHECK static inline int name##_try_reserve(struct name *v, size_t more)  \
	{                                                                                          \
		type *ptr;                                                                         \
                                                                                                   \
		if (more <= v->cap - v->len)                                                       \
			return 0;                                                                  \
		if (more > SIZE_MAX - v->len)                                                      \
			return ERR_NOMEM;                                                          \
		ptr = vec_grow(v->ptr, &v->cap, v->len + more, sizeof(type));                      \
		if (!ptr)                                                                          \
			return ERR_NOMEM;                                                          \
		v->ptr = ptr;                                                                      \
		return 0;                                                                          \
	}                                                                                          \
                                                                                                   \
	/* Appends a copy of value: 0 or ERR_NOMEM. */                                             \
	SP_UNUSED SP_MUST_CHECK static inline int name##_try_push(struct name *v, type value)      \
	{                                                                                          \
		int rc = name##_try_reserve(v, 1);                                                 \
                                                                                                   \
		if (rc == 0)                                                                       \
			v->ptr[v->len++] = value;                                                  \
		return rc;                                                                         \
	}                                                                                          \
                                                                                                   \
	/* Makes room for more elements beyond len, or ends the program. Returns 0. */             \
	SP_UNUSED static inline int name##_reserve(struct name *v, size_t more)                    \
	{                                                                                          \
		if (more > v->cap - v->len)                                                        \
			v->ptr = vec_need(v->ptr, &v->cap,                                         \
				more > SIZE_MAX - v->len ? SIZE_MAX : v->len + more, sizeof(type));\
		return 0;                                                                          \
	}                                                                                          \
                                                                                                   \
	/* Appends a copy of value, or ends the program. Returns 0. */                             \
	SP_UNUSED static inline int name##_push(struct name *v, type value)                        \
	{                                                                                          \
		if (v->len == v->cap)                                                              \
			v->ptr = vec_need(v->ptr, &v->cap, v->len + 1, sizeof(type));              \
		v->ptr[v->len++] = value;                                                          \
		return 0;                                                                          \
	}                                                                                          \
                                                                                                   \
	/* Takes the last element off; the array must not be empty. */                             \
	SP_UNUSED static inline type name##_pop(struct name *v)                                    \
	{                                                                                          \
		assert(v->len > 0);                                                                \
		return v->ptr[--v->len];                                                           \
	}                                                                                          \
                                                                                                   \
	struct name /* so that a use of the macro ends in a semicolon */
/* clang-format on */

#endif
