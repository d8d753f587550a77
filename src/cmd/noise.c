#include "cmd/noise.h"

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

void noise_put_rules(struct json *j, const struct change *c)
{
	json_key(j, "rules");
	json_array_begin(j);
	for (size_t i = 0; i < c->rule_count; i++) {
		json_object_begin(j);
		json_put_string(j, "name", noise_rule_name(c->rules[i].rule));
		json_put_uint(j, "count", c->rules[i].count);
		json_object_end(j);
	}
	json_array_end(j);
	json_put_double(j, "masked_visible", c->masked_visible);
}
