#include "cmd/noise.h"

#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "cmd/cmd.h"

int noise_option_rules(const struct option_list *without, proof_rule_set *ret_off, struct err *err)
{
	proof_rule_set off = 0;

	for (size_t i = 0; i < without->len; i++) {
		enum proof_rule_id rule;
		struct closest c;

		if (proof_rule_find(slice_str(without->ptr[i]), &rule)) {
			off |= (proof_rule_set)1 << rule;
			continue;
		}
		closest_init(&c, without->ptr[i]);
		for (unsigned k = 0; k < RULE_COUNT; k++)
			closest_offer(&c, proof_rule_name((enum proof_rule_id)k));
		return err_set(err, ERR_USAGE,
			"--without-rule: there is no rule '%.99s'%s%s%s (see 'stillpoint inspect "
			"change --list-rules')",
			without->ptr[i], closest_get(&c) ? ", did you mean '" : "",
			closest_get(&c) ? closest_get(&c) : "", closest_get(&c) ? "'?" : "");
	}
	*ret_off = off;
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
	rc = noise_option_rules(without, &ret->off, err);
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

void noise_put_proof(struct json *j, const struct proof *p)
{
	json_key(j, "rules");
	json_array_begin(j);
	for (size_t i = 0; i < p->rules.len; i++) {
		json_object_begin(j);
		json_text(j, "name", p->rules.ptr[i].name);
		json_put_uint(j, "count", p->rules.ptr[i].count);
		json_object_end(j);
	}
	json_array_end(j);
	json_put_double(j, "masked_visible", p->masked);
	json_key(j, "changed_in");
	json_array_begin(j);
	for (unsigned i = 0; i < PROOF_IN_COUNT; i++)
		if (p->changed_in >> i & 1)
			json_string(j, proof_in_name(i));
	json_array_end(j);
	json_key(j, "duties");
	json_array_begin(j);
	for (size_t i = 0; i < p->duties.len; i++) {
		json_object_begin(j);
		json_text(j, "a", p->duties.ptr[i].a);
		json_text(j, "b", p->duties.ptr[i].b);
		json_object_end(j);
	}
	json_array_end(j);
	json_put_string(j, "limit", p->limit);
}
