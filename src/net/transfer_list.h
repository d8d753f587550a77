/*
 * Transfers in a row; each is in one list at most and is linked by itself, so that nothing here can
 * fail.
 */
#ifndef NET_TRANSFER_LIST_H
#define NET_TRANSFER_LIST_H

#include <stddef.h>

struct transfer;

/* Zero-initialise. */
struct transfer_list {
	struct transfer *first, *last;
	size_t len;
};

/* Takes the transfer out of its list, if any, and puts it at the end of this one. */
void transfer_list_append(struct transfer_list *list, struct transfer *t);

/* Takes the transfer out of its list, if any. */
void transfer_list_remove(struct transfer *t);

#endif
