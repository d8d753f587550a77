#include "net/transfer_list.h"

#include "net/transfer.h"

void transfer_list_remove(struct transfer *t)
{
	struct transfer_list *list = t->list;

	if (!list)
		return;
	*(t->prev ? &t->prev->next : &list->first) = t->next;
	*(t->next ? &t->next->prev : &list->last) = t->prev;
	list->len--;
	t->prev = t->next = NULL;
	t->list = NULL;
}

void transfer_list_append(struct transfer_list *list, struct transfer *t)
{
	transfer_list_remove(t);
	t->list = list;
	t->prev = list->last;
	*(list->last ? &list->last->next : &list->first) = t;
	list->last = t;
	list->len++;
}
