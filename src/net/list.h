/*
 * Lists of items that are linked by themselves, so that nothing here can fail. An item is in one
 * list at most:
 *
 *	LIST_DECLARE(transfer_list, struct transfer);
 *
 *	struct transfer {
 *		struct transfer_list *list;
 *		struct transfer *prev, *next;
 *	};
 *
 *	LIST_DEFINE(transfer_list, struct transfer)
 *
 * Zero-initialise lists and items.
 */
#ifndef NET_LIST_H
#define NET_LIST_H

#include <stddef.h>

#include "base/api.h"

/* clang-format off */
#define LIST_DECLARE(name, type)                                                                   \
	struct name {                                                                              \
		type *first, *last;                                                                \
		size_t len;                                                                        \
	}

#define LIST_DEFINE(name, type)                                                                    \
	/* Takes the item out of its list, if any. */                                              \
	SP_UNUSED static inline void name##_remove(type *item)                                     \
	{                                                                                          \
		struct name *list = item->list;                                                    \
                                                                                                   \
		if (!list)                                                                         \
			return;                                                                    \
		*(item->prev ? &item->prev->next : &list->first) = item->next;                     \
		*(item->next ? &item->next->prev : &list->last) = item->prev;                      \
		list->len--;                                                                       \
		item->prev = item->next = NULL;                                                    \
		item->list = NULL;                                                                 \
	}                                                                                          \
                                                                                                   \
	/* Takes the item out of its list, if any, and puts it at the end of this one. */          \
	SP_UNUSED static inline void name##_append(struct name *list, type *item)                  \
	{                                                                                          \
		name##_remove(item);                                                               \
		item->list = list;                                                                 \
		item->prev = list->last;                                                           \
		*(list->last ? &list->last->next : &list->first) = item;                           \
		list->last = item;                                                                 \
		list->len++;                                                                       \
	}
/* clang-format on */

#endif
