/* Two differing tokens of CSS: generated names in selectors, and addresses. */
#include "proof/judge.h"

enum { BRACE_REACH = 1024 }; /* tokens between a name and its brace */

/* Whether a token is part of a selector: a brace follows before a semicolon or closing brace. */
static bool is_in_selector(const struct proof_tokens *t, uint32_t at)
{
	if (t->format == FORMAT_DECLARATIONS)
		return false;
	for (size_t i = at; i < t->list.len && i - at < BRACE_REACH; i++)
		if (t->list.ptr[i].kind == TOKEN_SIGN) {
			char c = t->list.ptr[i].sign;

			if (c == '{')
				return true;
			if (c == ';' || c == '}')
				return false;
		}
	return false;
}

static bool is_url_string(const struct proof_tokens *t, uint32_t at)
{
	return at >= 2 && t->list.ptr[at - 1].kind == TOKEN_SIGN &&
	       t->list.ptr[at - 1].sign == '(' && t->list.ptr[at - 2].kind == TOKEN_WORD &&
	       slice_eq(t->list.ptr[at - 2].text, SLICE("url"));
}

static bool is_import(const struct proof_tokens *t, uint32_t at)
{
	return at >= 1 && t->list.ptr[at - 1].kind == TOKEN_AT &&
	       slice_eq(t->list.ptr[at - 1].text, SLICE("import"));
}

static bool compare_address(struct judge *j, slice a, slice b, bool is_sheet, struct place *p)
{
	p->is_address = true;
	if (slice_starts_with(a, SLICE("#")) && slice_starts_with(b, SLICE("#")))
		return compare_names(j, slice_sub(a, 1, a.len), slice_sub(b, 1, b.len), p);
	if (slice_starts_with(a, SLICE("data:")) || slice_starts_with(b, SLICE("data:")))
		return unexplained(j, p, a, b);
	return compare_urls(j, is_sheet ? URL_ASSET : URL_DATA, a, b, p);
}

bool compare_css_tokens(struct judge *j, const struct pairing *pair, uint32_t i, uint32_t k)
{
	const struct proof_token *a = &pair->a->list.ptr[i], *b = &pair->b->list.ptr[k];
	struct place p = {.outer = pair->place, .element = NO_TOKEN, .in = PROOF_IN_STYLE};

	if (a->kind != b->kind || a->sign != b->sign || a->is_spaced != b->is_spaced)
		return unexplained(j, &p, a->full, b->full);
	if (a->kind == TOKEN_URL)
		return compare_address(j, a->text, b->text, is_import(pair->a, i), &p);
	if (a->kind == TOKEN_STRING && (is_url_string(pair->a, i) || is_import(pair->a, i)) &&
		(is_url_string(pair->b, k) || is_import(pair->b, k)))
		return compare_address(j, a->text, b->text,
			is_import(pair->a, i) || (i >= 2 && is_import(pair->a, i - 2)), &p);
	if ((a->kind == TOKEN_HASH || a->sign == '.') && is_in_selector(pair->a, i) &&
		is_in_selector(pair->b, k))
		return compare_names(j, a->text, b->text, &p);
	return unexplained(j, &p, a->full, b->full);
}
