/*
 * Places of pages that vary by themselves, as a capture learned them from its probes (learning.h).
 * A rule holds for the pages of a kind (page_kind.h), or for one page alone, and for one place
 * (proof_place.where). As text, with the number of pages that support it:
 *
 *	3 http://example.org/news/ html>body>form>input[name=zq7]@value
 */
#ifndef PROOF_LEARNED_LINES_H
#define PROOF_LEARNED_LINES_H

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"
#include "proof/learned.h"

enum {
	LEARNED_VERSION = 2, /* of their text and meaning */
	LEARNED_LINE_MAX = 16 << 10,
	LEARNED_RULES_MAX = 1024, /* of a capture */
};

struct learned_rule {
	slice kind; /* a kind of page, or the URL of one */
	slice where;
	uint32_t pages;
};

VEC_DECLARE(learned_rules, struct learned_rule);

/* Fields may be read. */
struct learned {
	struct learned_rules rules;
	struct strmap index; /* by "KIND WHERE" */
	struct arena arena;
};

/* Empty; allocates nothing. */
void learned_init(struct learned *l);
void learned_release(struct learned *l);

/* Adds a rule, which is copied. 0, ERR_EXISTS, ERR_LIMIT, ERR_SYNTAX (cannot be text), ERR_NOMEM.
 */
int learned_add(struct learned *l, const struct learned_rule *rule) SP_MUST_CHECK;

/* The rule for a kind and place, or NULL. */
const struct learned_rule *learned_find(const struct learned *l, slice kind, slice where);

/* As text, without an end of line. 0, ERR_LIMIT, ERR_NOMEM; the second as learned_add. */
int learned_format(const struct learned_rule *rule, struct buf *out) SP_MUST_CHECK;
int learned_parse(struct learned *l, slice text) SP_MUST_CHECK;

/* Whether any rule holds for the page at that URL. Adds their places to ret. 0 or ERR_NOMEM. */
int learned_places(
	const struct learned *l, slice url, struct proof_learned *ret, bool *ret_any) SP_MUST_CHECK;

#endif
