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

/* The number of a string, from 0, which is new if need be: 0, ERR_NOMEM, ERR_LIMIT. */
int words_number(struct words *w, slice text, uint32_t *ret) SP_MUST_CHECK;

/* The string of a number; valid as long as the arena. */
slice words_text(const struct words *w, uint32_t number);

/* The same, for whom a set that is full is no memory: it ends the program. */
uint32_t words_put(struct words *w, slice text);
slice words_copy(struct words *w, slice text); /* ptr may be NULL: then it is that */

/* The kept copy of a string, whose ptr may be NULL: then it is that. As words_number. */
int words_keep(struct words *w, slice text, slice *ret) SP_MUST_CHECK;

#endif
