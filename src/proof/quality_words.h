/* Strings that come again and again (failures, kinds, file names), each kept once and numbered. */
#ifndef PROOF_QUALITY_WORDS_H
#define PROOF_QUALITY_WORDS_H

#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/slice.h"

/* Fields are its own. */
struct words {
	struct arena *arena; /* borrowed */
	struct strmap map;
	struct slice_vec list;
};

void words_init(struct words *w, struct arena *arena);
void words_release(struct words *w);

/* The number of a string, from 0, which is new if need be. A set that is full ends the program. */
uint32_t words_put(struct words *w, slice text);

/* The string of a number; valid as long as the arena. */
slice words_text(const struct words *w, uint32_t number);

/* The kept copy of a string, whose ptr may be NULL: then it is that. */
slice words_copy(struct words *w, slice text);

#endif
