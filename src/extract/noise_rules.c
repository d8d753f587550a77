#include "extract/noise_rules.h"

#include "base/hash.h"

static const struct {
	slice name;
	const char *summary;
} RULES[NOISE_RULE_COUNT] = {
#define X(id, name, summary) [NOISE_##id] = {SLICE_INIT(name), summary},
	NOISE_RULES(X)
#undef X
};

const char *noise_rule_name(enum noise_rule rule)
{
	return RULES[rule].name.ptr;
}

const char *noise_rule_summary(enum noise_rule rule)
{
	return RULES[rule].summary;
}

bool noise_rule_find(slice name, enum noise_rule *ret_rule)
{
	for (unsigned i = 0; i < NOISE_RULE_COUNT; i++) {
		if (slice_eq(name, RULES[i].name)) {
			*ret_rule = (enum noise_rule)i;
			return true;
		}
	}
	return false;
}

bool noise_applies_number(struct noise *n, enum noise_rule rule, uint64_t number)
{
	uint64_t mark = n->tally.rules[rule].mark;

	if (!noise_set_has(n->set, rule))
		return false;
	n->tally.rules[rule].count++;
	n->tally.rules[rule].mark = (mark ^ number) * 0x9e3779b97f4a7c15U + 1;
	return true;
}

/* The key is fixed: marks of two pages are compared. They only say which rules were needed. */
bool noise_applies(struct noise *n, enum noise_rule rule, slice bytes)
{
	uint64_t mark = n->tally.rules[rule].mark;

	if (!noise_set_has(n->set, rule))
		return false;
	n->tally.rules[rule].count++;
	n->tally.rules[rule].mark = hash_bytes((struct hash_key){mark, rule}, bytes);
	return true;
}
