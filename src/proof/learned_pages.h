/*
 * What a capture has learned, from its lines (learning.h): the rules, and by URL which pages are
 * the same under them. Filled from the catalog by the report and from the WARC files by verify.
 */
#ifndef PROOF_LEARNED_PAGES_H
#define PROOF_LEARNED_PAGES_H

#include "base/api.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "proof/learning.h"
#include "proof/legs.h"

VEC_DECLARE(learning_lines, struct learning_line);

/* Fields may be read. */
struct learned_pages {
	struct learned rules;
	struct learning_lines lines; /* `same`; strings are in the arena */
	struct strmap index;         /* of them, by URL */
	struct arena arena;
};

/* Empty; allocates nothing. */
void learned_pages_init(struct learned_pages *p);
void learned_pages_release(struct learned_pages *p);

/* Adds a line. 0, ERR_SYNTAX, ERR_EXISTS, ERR_LIMIT, ERR_NOMEM. */
int learned_pages_add(struct learned_pages *p, slice line) SP_MUST_CHECK;

/* The line of a page whose attempts that count are those of the legs, or NULL. */
const struct learning_line *learned_pages_find(
	const struct learned_pages *p, slice url, const struct legs *legs);

/* Whether there is a line of that page, whatever its attempts. */
bool learned_pages_has(const struct learned_pages *p, slice url);

/*
 * Both looks of the legs are of the line's class: they, and canaries between them, show the same
 * under the rules.
 */
void learned_pages_apply(const struct learning_line *line, struct legs *legs);

#endif
