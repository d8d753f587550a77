/*
 * Whether two looks at a page show the same: the one place where this is decided. A look that was
 * found to differ from an earlier one by noise alone (quality/pair.h) has that one's class: the
 * state of the first look of the chain. Explained differences chain, so looks of one class show the
 * same.
 */
#ifndef ARCHIVE_SAME_H
#define ARCHIVE_SAME_H

#include "archive/attempt.h"

/* What a look showed, as far as others are compared with it. */
struct same_key {
	bool has_state, has_class;
	struct digest state; /* http/state.h: status, Location, media type and body */
	struct digest class; /* attempt.h; without one its state is its class */
};

enum same_by {
	SAME_NOT,
	SAME_BYTES,
	SAME_RULES,
};

static inline struct same_key same_key_of(const struct attempt *a)
{
	return (struct same_key){.has_state = a->has_state,
		.has_class = a->has_state && a->has_class && !a->close_delimited,
		.state = a->state,
		.class = a->class};
}

static inline const struct digest *same_class(const struct same_key *k)
{
	return k->has_class ? &k->class : &k->state;
}

static inline enum same_by same_compare(const struct same_key *a, const struct same_key *b)
{
	if (!a->has_state || !b->has_state)
		return SAME_NOT;
	if (digest_eq(&a->state, &b->state))
		return SAME_BYTES;
	return digest_eq(same_class(a), same_class(b)) ? SAME_RULES : SAME_NOT;
}

#endif
