#include "proof/learned_lines.h"

#include <inttypes.h>

#include "base/err.h"
#include "base/parse.h"
#include "proof/page_kind.h"

#define ARENA_MAX ((size_t)LEARNED_RULES_MAX * 2 * LEARNED_LINE_MAX)

void learned_init(struct learned *l)
{
	*l = (struct learned){0};
	arena_init_small(&l->arena, ARENA_MAX);
	strmap_init(&l->index, hash_key_random(), NULL); /* so that it may be moved */
}

void learned_release(struct learned *l)
{
	learned_rules_release(&l->rules);
	strmap_release(&l->index);
	arena_release(&l->arena);
	*l = (struct learned){0};
}

static bool has_control(slice s, bool blank_too)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < ' ' + blank_too || s.ptr[i] == 0x7f)
			return true;
	return false;
}

/* "KIND WHERE" in a buffer. */
static int make_key(slice kind, slice where, struct buf *out)
{
	buf_init(out, LEARNED_LINE_MAX);
	return buf_printf(out, "%.*s %.*s", (int)kind.len, kind.ptr, (int)where.len, where.ptr);
}

int learned_add(struct learned *l, const struct learned_rule *rule)
{
	struct learned_rule copy = *rule;
	struct buf key;
	slice kept;
	int rc;

	if (rule->kind.len == 0 || rule->where.len == 0 || has_control(rule->kind, true) ||
		has_control(rule->where, false))
		return ERR_SYNTAX;
	if (l->rules.len >= LEARNED_RULES_MAX ||
		rule->kind.len + rule->where.len > LEARNED_LINE_MAX / 2)
		return ERR_LIMIT;
	rc = make_key(rule->kind, rule->where, &key);
	kept = (slice){rc ? NULL : arena_strdup(&l->arena, buf_slice(&key)), key.len};
	buf_release(&key);
	if (rc || !kept.ptr)
		return rc ? rc : ERR_NOMEM;
	copy.kind = slice_sub(kept, 0, rule->kind.len);
	copy.where = slice_sub(kept, rule->kind.len + 1, kept.len);
	rc = strmap_put(&l->index, kept, (uint32_t)l->rules.len);
	return rc ? rc : learned_rules_push(&l->rules, copy);
}

const struct learned_rule *learned_find(const struct learned *l, slice kind, slice where)
{
	uint32_t at = 0;
	struct buf key;
	bool found =
		make_key(kind, where, &key) == 0 && strmap_get(&l->index, buf_slice(&key), &at);

	buf_release(&key);
	return found ? &l->rules.ptr[at] : NULL;
}

int learned_format(const struct learned_rule *rule, struct buf *out)
{
	return buf_printf(out, "%" PRIu32 " %.*s %.*s", rule->pages, (int)rule->kind.len,
		rule->kind.ptr, (int)rule->where.len, rule->where.ptr);
}

int learned_parse(struct learned *l, slice text)
{
	struct learned_rule rule = {0};
	uint64_t pages;

	if (parse_u64(slice_take(&text, ' '), &pages) || pages == 0 || pages > UINT32_MAX)
		return ERR_SYNTAX;
	rule.pages = (uint32_t)pages;
	rule.kind = slice_take(&text, ' ');
	rule.where = text;
	return learned_add(l, &rule);
}

int learned_places(const struct learned *l, slice url, struct proof_learned *ret, bool *ret_any)
{
	struct url parsed;
	struct buf kind;
	int rc;

	*ret_any = false;
	if (l->rules.len == 0)
		return 0;
	url_init(&parsed);
	buf_init(&kind, PAGE_KIND_MAX);
	rc = url_parse(&parsed, url, NULL, NULL);
	if (rc == 0)
		rc = page_kind(&parsed, &kind);
	for (size_t i = 0; rc == 0 && i < l->rules.len; i++) {
		const struct learned_rule *r = &l->rules.ptr[i];

		if (!slice_eq(r->kind, url) && !slice_eq(r->kind, buf_slice(&kind)))
			continue;
		*ret_any = true;
		rc = proof_learned_add(ret, r->where);
	}
	buf_release(&kind);
	url_release(&parsed);
	return rc == ERR_NOMEM ? rc : 0;
}
