/*
 * The Link header of RFC 7089, section 2.2: original, timegate, timemap, and the mementos first,
 * last, previous and next to one.
 */
#ifndef REPLAY_MEMENTO_LINKS_H
#define REPLAY_MEMENTO_LINKS_H

#include "base/api.h"
#include "base/buf.h"
#include "replay/asked.h"
#include "replay/memento.h"

/* Appends <original>, <timegate>, <timemap>; errors stay in the buffer, here and below. */
void links_add_resources(struct buf *out, const struct asked *a);

/* Appends first, prev, the memento itself (NULL: none), next and last of the list. */
void links_add_mementos(struct buf *out, const struct asked *a, const struct mementos *list,
	const struct memento *m);

/* Appends `<ADDRESS>; rel="RELATION"; datetime="…"`. */
void links_add_memento(
	struct buf *out, const struct asked *a, const struct memento *m, const char *relation);

#endif
