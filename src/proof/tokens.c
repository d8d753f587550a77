#include "proof/tokens.h"

#include "base/hash.h"

void proof_tokens_init(
	struct proof_tokens *t, slice source, enum proof_format format, struct arena *arena)
{
	*t = (struct proof_tokens){.source = source, .format = format, .arena = arena};
}

void proof_tokens_release(struct proof_tokens *t)
{
	proof_token_vec_release(&t->list);
	proof_element_vec_release(&t->elements);
	proof_skipped_vec_release(&t->skipped);
}

int proof_tokens_read(struct proof_tokens *t, struct ignore_page *ignoring)
{
	switch (t->format) {
	case FORMAT_HTML:
	case FORMAT_XML:
		return proof_read_markup(t, ignoring);
	case FORMAT_SCRIPT:
	case FORMAT_JSON:
		return proof_read_script(t);
	case FORMAT_CSS:
	case FORMAT_DECLARATIONS:
		return proof_read_css(t);
	case FORMAT_PLAIN:
	case FORMAT_OPAQUE:
		break;
	}
	return proof_tokens_add(t, (struct proof_token){.kind = TOKEN_KEPT_TEXT,
					   .key = proof_hash(0, t->source),
					   .text = t->source,
					   .full = t->source,
					   .element = NO_TOKEN,
					   .to = (uint32_t)t->source.len});
}

int proof_tokens_add(struct proof_tokens *t, struct proof_token token)
{
	if (t->limit)
		return 0;
	if (t->list.len >= TOKENS_MAX) {
		t->limit = "too many tokens";
		return 0;
	}
	return proof_token_vec_push(&t->list, token);
}

int proof_tokens_skip(struct proof_tokens *t, size_t from, size_t to, uint32_t rule)
{
	if (t->skipped.len && rule != IGNORE_NONE) {
		struct proof_skipped *last = &t->skipped.ptr[t->skipped.len - 1];

		if (last->to == from && last->rule == rule) {
			last->to = (uint32_t)to;
			return 0;
		}
	}
	return proof_skipped_vec_push(
		&t->skipped, (struct proof_skipped){(uint32_t)from, (uint32_t)to, rule});
}

/* Equal hashes are looked at again byte by byte, so a key that all know does no harm. */
uint64_t proof_hash(uint64_t seed, slice bytes)
{
	return hash_bytes((struct hash_key){seed, 0x70726f6f66ULL}, bytes);
}

slice proof_attr(const struct proof_element *e, slice name)
{
	for (uint32_t i = 0; i < e->attr_count; i++)
		if (slice_eq(e->attrs[i].name, name))
			return e->attrs[i].value;
	return (slice){0};
}
