#include "cmd/noise.h"

#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "cmd/cmd.h"

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

int noise_read_file(const char *path, struct buf *out, struct err *err)
{
	struct ignore rules;
	int rc = cmd_read_input(path, out, err);

	ignore_init(&rules);
	if (rc == 0)
		rc = ignore_parse(&rules, buf_slice(out), path, err);
	ignore_release(&rules);
	return rc;
}

int noise_read_book(
	const struct option_list *without, const char *path, struct rulebook *ret, struct err *err)
{
	struct buf content;
	int rc;

	rulebook_init(ret);
	rc = noise_option_rules(without, &ret->set, err);
	if (rc || !path)
		return rc;
	buf_init(&content, IGNORE_FILE_MAX + 1);
	rc = noise_read_file(path, &content, err);
	if (rc == 0)
		rc = err_code(err, rulebook_add_file(ret, buf_slice(&content)));
	if (rc == 0)
		rc = rulebook_finish(ret, path, err);
	buf_release(&content);
	return rc;
}

void noise_put_rules(struct json *j, const struct change *c)
{
	json_key(j, "rules");
	json_array_begin(j);
	for (size_t i = 0; i < c->rule_count; i++) {
		json_object_begin(j);
		json_text(j, "name", c->rules[i].name);
		json_put_uint(j, "count", c->rules[i].count);
		json_object_end(j);
	}
	json_array_end(j);
	json_put_double(j, "masked_visible", c->masked_visible);
}
