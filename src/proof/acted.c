#include "proof/acted.h"

#include <stdlib.h>

#include "base/parse.h"
#include "base/word.h"
#include "proof/noise_rules.h"

bool acted_next(slice *text, slice *ret_name, uint64_t *ret_count)
{
	slice word;

	while (word_next(text, ',', &word)) {
		size_t at = word.len;

		while (at > 0 && word.ptr[at - 1] != '=')
			at--;
		if (at < 2 || parse_u64(slice_sub(word, at, word.len), ret_count))
			continue;
		*ret_name = slice_sub(word, 0, at - 1);
		return true;
	}
	return false;
}

const char *acted_summary(slice name)
{
	enum proof_rule_id rule;

	if (proof_rule_find(name, &rule))
		return proof_rule_summary(rule);
	if (slice_starts_with(name, SLICE("ignore:")))
		return "a rule of the file of --ignore";
	return slice_starts_with(name, SLICE("learned"))
		       ? "learned: its value was new in each of several downloads of one moment"
		       : "a rule of another version";
}

void acted_add(struct acted_rules *list, struct words *words, const struct acted_rule *rule)
{
	struct acted_rule fresh = *rule;

	for (size_t i = 0; i < list->len; i++) {
		struct acted_rule *known = &list->ptr[i];

		if (!slice_eq(known->name, rule->name))
			continue;
		known->pages += rule->pages;
		known->count += rule->count;
		return;
	}
	fresh.name = words_copy(words, rule->name);
	acted_rules_push(list, fresh);
}

static unsigned rank_of(slice name)
{
	enum proof_rule_id rule;

	return proof_rule_find(name, &rule) ? (unsigned)rule : RULE_COUNT;
}

static int by_rank(const void *a, const void *b)
{
	const struct acted_rule *x = a, *y = b;
	unsigned m = rank_of(x->name), n = rank_of(y->name);
	size_t len = x->name.len < y->name.len ? x->name.len : y->name.len;
	int order;

	if (m != n)
		return m < n ? -1 : 1;
	order = memcmp(x->name.ptr, y->name.ptr, len);
	return order ? order : (x->name.len > y->name.len) - (x->name.len < y->name.len);
}

void acted_sort(struct acted_rules *list)
{
	if (list->len > 1)
		qsort(list->ptr, list->len, sizeof *list->ptr, by_rank);
}
