#include "formats/html_state.h"

#include <strings.h>

#include "formats/html_token.h"

/* Start tags that end foreign content (13.2.6.5); font only with certain attributes. */
static const bool BREAKS_OUT[HTML_TAG_COUNT] = {
	[HTML_TAG_B] = true,
	[HTML_TAG_BIG] = true,
	[HTML_TAG_BLOCKQUOTE] = true,
	[HTML_TAG_BODY] = true,
	[HTML_TAG_BR] = true,
	[HTML_TAG_CENTER] = true,
	[HTML_TAG_CODE] = true,
	[HTML_TAG_DD] = true,
	[HTML_TAG_DIV] = true,
	[HTML_TAG_DL] = true,
	[HTML_TAG_DT] = true,
	[HTML_TAG_EM] = true,
	[HTML_TAG_EMBED] = true,
	[HTML_TAG_H1] = true,
	[HTML_TAG_H2] = true,
	[HTML_TAG_H3] = true,
	[HTML_TAG_H4] = true,
	[HTML_TAG_H5] = true,
	[HTML_TAG_H6] = true,
	[HTML_TAG_HEAD] = true,
	[HTML_TAG_HR] = true,
	[HTML_TAG_I] = true,
	[HTML_TAG_IMG] = true,
	[HTML_TAG_LI] = true,
	[HTML_TAG_LISTING] = true,
	[HTML_TAG_MENU] = true,
	[HTML_TAG_META] = true,
	[HTML_TAG_NOBR] = true,
	[HTML_TAG_OL] = true,
	[HTML_TAG_P] = true,
	[HTML_TAG_PRE] = true,
	[HTML_TAG_RUBY] = true,
	[HTML_TAG_S] = true,
	[HTML_TAG_SMALL] = true,
	[HTML_TAG_SPAN] = true,
	[HTML_TAG_STRIKE] = true,
	[HTML_TAG_STRONG] = true,
	[HTML_TAG_SUB] = true,
	[HTML_TAG_SUP] = true,
	[HTML_TAG_TABLE] = true,
	[HTML_TAG_TT] = true,
	[HTML_TAG_U] = true,
	[HTML_TAG_UL] = true,
	[HTML_TAG_VAR] = true,
};

static bool is_foreign_root(unsigned tag)
{
	return tag == HTML_TAG_SVG || tag == HTML_TAG_MATH;
}

static unsigned top(const struct html_tokenizer *t)
{
	return t->foreign_len ? t->foreign[t->foreign_len - 1] : HTML_TAG_OTHER;
}

bool html_in_foreign(const struct html_tokenizer *t)
{
	return (t->flags & HTML_XML) || is_foreign_root(top(t));
}

static void push(struct html_tokenizer *t)
{
	if (!t->token.self_closing && t->foreign_len < HTML_FOREIGN_MAX)
		t->foreign[t->foreign_len++] = (uint8_t)t->token.tag;
}

static void leave_foreign(struct html_tokenizer *t)
{
	while (is_foreign_root(top(t)))
		t->foreign_len--;
}

static bool has_attr(const struct html_token *token, slice name)
{
	return html_attr_value(token, name).ptr != NULL;
}

static bool breaks_out(const struct html_token *token)
{
	if (token->tag == HTML_TAG_FONT)
		return has_attr(token, SLICE("color")) || has_attr(token, SLICE("face")) ||
		       has_attr(token, SLICE("size"));
	return BREAKS_OUT[token->tag];
}

static bool is_integration_point(const struct html_tokenizer *t)
{
	slice encoding;

	switch (t->token.tag) {
	case HTML_TAG_FOREIGNOBJECT:
	case HTML_TAG_DESC:
	case HTML_TAG_TITLE:
		return top(t) == HTML_TAG_SVG;
	case HTML_TAG_MI:
	case HTML_TAG_MO:
	case HTML_TAG_MN:
	case HTML_TAG_MS:
	case HTML_TAG_MTEXT:
		return top(t) == HTML_TAG_MATH;
	case HTML_TAG_ANNOTATION_XML:
		encoding = html_attr_value(&t->token, SLICE("encoding"));
		return top(t) == HTML_TAG_MATH &&
		       ((encoding.len == 9 && strncasecmp(encoding.ptr, "text/html", 9) == 0) ||
			       (encoding.len == 21 && strncasecmp(encoding.ptr,
							      "application/xhtml+xml", 21) == 0));
	default:
		return false;
	}
}

static void start_tag(struct html_tokenizer *t)
{
	bool inside = is_foreign_root(top(t));

	if (inside && !(t->flags & HTML_XML) && breaks_out(&t->token)) {
		leave_foreign(t);
		t->token.foreign = false;
		return;
	}
	if (is_foreign_root(t->token.tag) || (inside && is_integration_point(t))) {
		t->token.foreign = true;
		push(t);
	}
}

static void end_tag(struct html_tokenizer *t)
{
	size_t n = t->foreign_len;

	while (n > 0 && t->foreign[n - 1] != t->token.tag)
		n--;
	if (n > 0) {
		t->foreign_len = (uint8_t)(n - 1);
		t->token.foreign = true;
	} else if (t->token.foreign && !(t->flags & HTML_XML) && BREAKS_OUT[t->token.tag]) {
		leave_foreign(t);
		t->token.foreign = false;
	}
}

void html_foreign_tag(struct html_tokenizer *t)
{
	t->token.foreign = is_foreign_root(top(t));
	if (t->token.tag == HTML_TAG_OTHER)
		return;
	if (t->foreign_len == 0 && !is_foreign_root(t->token.tag))
		return;
	if (t->token.kind == HTML_START_TAG)
		start_tag(t);
	else
		end_tag(t);
}
