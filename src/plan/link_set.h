/*
 * The links of a page as a sketch of bounded size (Bloom, "Space/Time Trade-offs in Hash Coding
 * with Allowable Errors", 1970), to tell whether a later look at it shows links that were not there
 * before: HACS's definition of an update (section II-B: links that no earlier capture has).
 *
 * What is told to be new is new. A new link is missed with a probability of about 3 %, of more
 * where a page has more than LINK_SET_SIZE_MAX links. Sketches are stored: hash and layout are
 * fixed.
 */
#ifndef PLAN_LINK_SET_H
#define PLAN_LINK_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/slice.h"

enum { LINK_SET_SIZE_MIN = 8, LINK_SET_SIZE_MAX = 512 }; /* bytes; one for each link */

/* Fields may be read: size bytes, a power of two. */
struct link_set {
	uint8_t bits[LINK_SET_SIZE_MAX];
	size_t size;
};

/* An empty set for about that many links. */
void link_set_init(struct link_set *s, size_t links);

void link_set_add(struct link_set *s, slice url);

static inline slice link_set_sketch(const struct link_set *s)
{
	return (slice){(const char *)s->bits, s->size};
}

/* Whether the bytes can be a sketch: their number is a power of two within the bounds. */
bool link_set_is_sketch(slice sketch);

/* All links that earlier looks at a page had. Zero-initialise; fields are its own. */
struct link_union {
	uint8_t *bits;
	size_t size;
};

void link_union_release(struct link_union *u);

/* Adds a sketch; *ret_new: it has links that were not there. 0 or ERR_NOMEM. */
int link_union_add(struct link_union *u, slice sketch, bool *ret_new) SP_MUST_CHECK;

#endif
