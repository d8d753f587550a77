#include "proof/noise_rules.h"

static const struct {
	const char *name, *summary;
} RULES[] = {
#define X(id, name, summary) [RULE_##id] = {name, summary},
	PROOF_RULES(X)
#undef X
};

const char *proof_rule_name(enum proof_rule_id rule)
{
	return RULES[rule].name;
}

const char *proof_rule_summary(enum proof_rule_id rule)
{
	return RULES[rule].summary;
}

bool proof_rule_find(slice name, enum proof_rule_id *ret_rule)
{
	for (size_t i = 0; i < RULE_COUNT; i++)
		if (slice_eq(name, slice_str(RULES[i].name))) {
			*ret_rule = (enum proof_rule_id)i;
			return true;
		}
	return false;
}
