/*
 * White space as CSS shows it (CSS Text, section 4.1.1) in elements that stand as HTML's own style
 * sheet lays them out: a run is one blank, and there is none at the start or the end of a line.
 * Texts that become empty are no tokens; what stood there is between its neighbours then.
 */
#include "base/word.h"
#include "proof/tokens.h"

/* No part in the line. */
bool proof_is_absent(slice name)
{
	static const char *const NAMES[] = {
		"script", "style", "link", "meta", "template", "noscript", "base", "title", "head"};

	for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
		if (slice_eq(name, slice_str(NAMES[i])))
			return true;
	return false;
}

static slice squeeze(struct arena *arena, slice in, bool at_start)
{
	char *out = arena_alloc(arena, in.len + 1, 1);
	size_t len = 0;
	bool blank = at_start;

	if (!out)
		return in;
	for (size_t i = 0; i < in.len; i++) {
		bool is_space = word_is_space(in.ptr[i]);

		if (is_space && blank)
			continue;
		blank = is_space;
		out[len++] = (char)(is_space ? ' ' : in.ptr[i]);
	}
	return (slice){out, len};
}

static void trim_end(struct proof_token *last)
{
	if (last && last->text.len && last->text.ptr[last->text.len - 1] == ' ')
		last->text.len--;
}

/* How the element is laid out is said by its own attributes. */
static bool has_display(const struct proof_tokens *t, const struct proof_token *token)
{
	const struct proof_element *e;

	if (token->element == NO_TOKEN)
		return false;
	e = &t->elements.ptr[token->element];
	return proof_attr(e, SLICE("hidden")).ptr || proof_attr(e, SLICE("style")).len ||
	       proof_attr(e, SLICE("popover")).ptr;
}

/* Part of the line as a whole: blanks on both sides of it show. Elements that are not known too. */
static bool is_part_of_line(const struct proof_tokens *t, const struct proof_token *token)
{
	return has_display(t, token) ||
	       (!proof_is_block(token->text) && !proof_is_inline(token->text) &&
		       !proof_is_absent(token->text));
}

void proof_collapse(struct proof_tokens *t)
{
	struct proof_token *last = NULL; /* text that ends in a blank, in this line */
	bool blank = true;               /* the line is empty or ends in a blank */

	for (size_t i = 0; i < t->list.len; i++) {
		struct proof_token *token = &t->list.ptr[i];

		if (token->kind == TOKEN_TEXT) {
			token->text = squeeze(t->arena, token->full, blank);
			if (!token->text.len)
				continue;
			blank = token->text.ptr[token->text.len - 1] == ' ';
			last = blank ? token : NULL;
		} else if (token->kind != TOKEN_START && token->kind != TOKEN_END &&
			   token->kind != TOKEN_KEPT_TEXT) {
			continue;
		} else if (token->kind == TOKEN_KEPT_TEXT || is_part_of_line(t, token)) {
			blank = false;
			last = NULL;
		} else if (proof_is_block(token->text)) {
			trim_end(last);
			blank = true;
			last = NULL;
		}
	}
	trim_end(last);
	for (size_t i = 0, to = 0, count = t->list.len; i < count; i++) {
		struct proof_token token = t->list.ptr[i];

		if (token.kind == TOKEN_TEXT && token.text.len == 0) {
			t->list.len--;
			continue;
		}
		if (token.kind == TOKEN_TEXT || token.kind == TOKEN_KEPT_TEXT)
			t->text_bytes += token.element == NO_TOKEN ||
							 !t->elements.ptr[token.element].is_hidden
						 ? token.text.len
						 : 0;
		t->list.ptr[to++] = token;
	}
}
