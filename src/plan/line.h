/* Pages that wait: first in, first out. Zeroed: empty. */
#ifndef PLAN_LINE_H
#define PLAN_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lists.h"

struct waiting_line {
	struct u32_vec pages;
	size_t head;
};

static inline int line_push(struct waiting_line *l, uint32_t page)
{
	return u32_vec_push(&l->pages, page);
}

static inline bool line_pop(struct waiting_line *l, uint32_t *ret_page)
{
	if (l->head == l->pages.len)
		return false;
	*ret_page = l->pages.ptr[l->head++];
	/* Orders may come back again and again. */
	if (l->head == l->pages.len)
		l->head = l->pages.len = 0;
	return true;
}

/* Puts back what was just taken from the head. */
static inline int line_unpop(struct waiting_line *l, uint32_t page)
{
	if (l->head == 0)
		return line_push(l, page);
	l->pages.ptr[--l->head] = page;
	return 0;
}

#endif
