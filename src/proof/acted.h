/*
 * Rules that acted on pages, by name: built-in ones (proof/noise_rules.h), and those that were
 * learned (proof/learned_lines.h). As text, "NAME=COUNT NAME=COUNT …"; a comma may stand
 * for the blank.
 */
#ifndef PROOF_ACTED_H
#define PROOF_ACTED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/vec.h"
#include "proof/quality_words.h"

/* Takes the next rule off a text; false when none is left. */
bool acted_next(slice *text, slice *ret_name, uint64_t *ret_count);

/* What a rule does, for people; constant. */
const char *acted_summary(slice name);

/* A rule, with the pages that it acted on, and how often. */
struct acted_rule {
	slice name;
	unsigned version; /* of the set that it belongs to */
	uint64_t pages, count;
};

VEC_DECLARE(acted_rules, struct acted_rule);

/* Adds a page to the rule of that name, which is kept in words. */
void acted_add(struct acted_rules *list, struct words *words, const struct acted_rule *rule);

/* Built-in rules in the order of their table, then the others by name. */
void acted_sort(struct acted_rules *list);

#endif
