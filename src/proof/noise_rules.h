/*
 * The built-in rules that recognise noise, as one table (rule set version 2). A rule names one kind
 * of difference that is no change of the page. It is about both sides of a differing place, so that
 * explained differences chain: when A and B differ by noise alone, and B and C do, so do A and C.
 *
 * NOISE_RULES_VERSION goes up with every change of what any rule explains.
 */
#ifndef PROOF_NOISE_RULES_H
#define PROOF_NOISE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { NOISE_RULES_VERSION = 2 };

/* clang-format off */
#define PROOF_RULES(X) \
	X(COMMENT, "comment", "comments, but for conditional ones and those that servers read")
/* clang-format on */

enum proof_rule_id {
#define X(id, name, summary) RULE_##id,
	PROOF_RULES(X)
#undef X
		RULE_COUNT,
};

/* A set of rules: bit 1 << rule. */
typedef uint64_t proof_rule_set;

/* Both live for ever. */
const char *proof_rule_name(enum proof_rule_id rule);
const char *proof_rule_summary(enum proof_rule_id rule);

/* Finds a rule by its name; false when there is none. */
bool proof_rule_find(slice name, enum proof_rule_id *ret_rule);

#endif
