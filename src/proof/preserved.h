/*
 * Which elements show their white space because the page's own styles say so.
 */
#ifndef PROOF_PRESERVED_H
#define PROOF_PRESERVED_H

#include <stdbool.h>

#include "base/slice.h"
#include "proof/tokens.h"

enum { PRESERVED_MAX = 64 };

/* Fields are its own. */
struct preserved {
	slice names[PRESERVED_MAX]; /* ".class", "#id" or element, borrowed from the source */
	size_t count;
	bool all; /* a selector that is not read: every element may */
};

/* Looks for styles in the source; sets lays_inline and has_sheet of t, too. */
void preserved_init(struct preserved *p, struct proof_tokens *t);

/* Whether a style attribute, or a style of the page, keeps the white space of an element. */
bool preserved_style(slice style);
bool preserved_element(const struct preserved *p, const struct proof_element *e);

#endif
