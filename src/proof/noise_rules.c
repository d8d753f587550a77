#include "proof/noise_rules.h"

#include "base/closest.h"

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

int proof_rule_read(const char *name, enum proof_rule_id *ret_rule, struct err *err)
{
	struct closest c;
	const char *best;

	if (proof_rule_find(slice_str(name), ret_rule))
		return 0;
	closest_init(&c, name);
	for (size_t i = 0; i < RULE_COUNT; i++)
		closest_offer(&c, RULES[i].name);
	best = closest_get(&c);
	return err_set(err, ERR_USAGE,
		"there is no rule '%.99s'%s%s%s (see 'stillpoint inspect change --list-rules')",
		name, best ? ", did you mean '" : "", best ? best : "", best ? "'?" : "");
}
