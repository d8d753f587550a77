#include "cmd/noise.h"

#include "archive/text_input.h"
#include "cmd/cmd.h"

int noise_option_rules(const struct text_list *without, proof_rule_set *ret_off, struct err *err)
{
	proof_rule_set off = 0;

	for (size_t i = 0; i < without->len; i++) {
		enum proof_rule_id rule;
		int rc = proof_rule_read(without->ptr[i], &rule, err);

		if (rc)
			return cmd_in_option(rc, "without-rule", err);
		off |= (proof_rule_set)1 << rule;
	}
	*ret_off = off;
	return 0;
}

int noise_read_book(
	const struct text_list *without, const char *path, struct rulebook *ret, struct err *err)
{
	struct buf content;
	int rc;

	rulebook_init(ret);
	rc = noise_option_rules(without, &ret->off, err);
	if (rc || !path)
		return rc;
	buf_init(&content, IGNORE_FILE_MAX + 1);
	rc = ignore_file_read(path, &content, err);
	if (rc == 0)
		rc = err_code(err, rulebook_add_file(ret, buf_slice(&content)));
	if (rc == 0)
		rc = rulebook_finish(ret, path, err);
	buf_release(&content);
	return rc;
}
