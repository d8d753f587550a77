/*
 * Lines of what a capture has learned: a line is read or refused, and a rule that was read is
 * written as it was.
 */
#include <stdint.h>
#include <stdlib.h>

#include "proof/learned_lines.h"
#include "proof/learned_pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check_rules(const struct learned *rules)
{
	struct buf line;

	buf_init(&line, LEARNING_LINE_MAX);
	for (size_t i = 0; i < rules->rules.len; i++) {
		const struct learned_rule *rule = &rules->rules.ptr[i];
		struct learned again;

		learned_init(&again);
		buf_reset(&line);
		require(learned_format(rule, &line) == 0);
		require(learned_parse(&again, buf_slice(&line)) == 0);
		require(learned_find(&again, rule->kind, rule->where) != NULL);
		require(again.rules.ptr[0].pages == rule->pages);
		learned_release(&again);
	}
	buf_release(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice left = {(const char *)data, size}, line;
	struct learned_pages pages;

	learned_pages_init(&pages);
	while ((line = slice_take(&left, '\n')).len)
		require(learned_pages_add(&pages, line) != ERR_NOMEM);
	check_rules(&pages.rules);
	learned_pages_release(&pages);
	return 0;
}
