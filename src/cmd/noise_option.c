#include "cmd/noise_option.h"

#include "base/closest.h"

int noise_option_rules(const struct option_list *without, noise_set *ret_rules, struct err *err)
{
	noise_set rules = NOISE_DEFAULT;

	for (size_t i = 0; i < without->len; i++) {
		enum noise_rule rule;
		struct closest c;

		if (noise_rule_find(slice_str(without->ptr[i]), &rule)) {
			rules &= ~(1U << rule);
			continue;
		}
		closest_init(&c, without->ptr[i]);
		for (unsigned k = 0; k < NOISE_RULE_COUNT; k++)
			closest_offer(&c, noise_rule_name((enum noise_rule)k));
		return err_set(err, ERR_USAGE,
			"--without-rule: there is no rule '%.99s'%s%s%s (see 'stillpoint inspect "
			"change --list-rules')",
			without->ptr[i], closest_get(&c) ? ", did you mean '" : "",
			closest_get(&c) ? closest_get(&c) : "", closest_get(&c) ? "'?" : "");
	}
	*ret_rules = rules;
	return 0;
}
