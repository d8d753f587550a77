/*
 * The word that was probably meant by a misspelt one: offer the candidates one after another, then
 * ask. Allocates nothing, cannot fail.
 */
#ifndef BASE_CLOSEST_H
#define BASE_CLOSEST_H

#include <stddef.h>

/* Strings are borrowed. Fields are its own. */
struct closest {
	const char *word;
	const char *best;
	size_t distance; /* of best; at first the largest that is still worth a suggestion */
};

void closest_init(struct closest *c, const char *word);
void closest_offer(struct closest *c, const char *candidate);

/* The best candidate, the earlier one of equals; NULL when none was close. */
const char *closest_get(const struct closest *c);

#endif
