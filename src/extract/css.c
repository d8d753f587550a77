#include "extract/css.h"

#include "base/word.h"

enum rule { RULE_NONE, RULE_IMPORT, RULE_FONT_FACE, RULE_WITHOUT_LINKS };

enum function { FUNCTION_OTHER, FUNCTION_URL, FUNCTION_IMAGES };

void css_init(struct css_reader *c, slice in)
{
	css_tokenizer_init(&c->tokens, in);
	c->braces = c->font_face = c->parens = 0;
	c->rule = RULE_NONE;
}

void css_release(struct css_reader *c)
{
	css_tokenizer_release(&c->tokens);
}

static enum rule rule_of(slice name)
{
	if (word_is(name, SLICE("import")))
		return RULE_IMPORT;
	if (word_is(name, SLICE("font-face")))
		return RULE_FONT_FACE;
	if (word_is(name, SLICE("namespace")) || word_is(name, SLICE("document")) ||
		word_is(name, SLICE("-moz-document")))
		return RULE_WITHOUT_LINKS;
	return RULE_NONE;
}

static enum function function_of(slice name)
{
	if (word_is(name, SLICE("url")) || word_is(name, SLICE("src")))
		return FUNCTION_URL;
	if (word_is(name, SLICE("image-set")) || word_is(name, SLICE("-webkit-image-set")) ||
		word_is(name, SLICE("image")))
		return FUNCTION_IMAGES;
	return FUNCTION_OTHER;
}

static void open_paren(struct css_reader *c, enum function function)
{
	if (c->parens < CSS_PARENS_MAX)
		c->functions[c->parens] = (unsigned char)function;
	c->parens++;
}

static enum function innermost(const struct css_reader *c)
{
	return c->parens && c->parens <= CSS_PARENS_MAX ? c->functions[c->parens - 1]
							: FUNCTION_OTHER;
}

static void open_brace(struct css_reader *c)
{
	c->braces++;
	if (c->rule == RULE_FONT_FACE && c->font_face == 0)
		c->font_face = c->braces;
	c->rule = RULE_NONE;
	c->parens = 0;
}

static void close_brace(struct css_reader *c)
{
	if (c->font_face == c->braces)
		c->font_face = 0;
	if (c->braces)
		c->braces--;
	c->rule = RULE_NONE;
	c->parens = 0;
}

static struct css_link link_of(const struct css_token *token, enum link_kind kind)
{
	return (struct css_link){
		.url = token->value,
		.source = token->source,
		.is_string = token->kind == CSS_STRING,
		.kind = kind,
	};
}

/* Whether a string or URL is a link here, and of which kind. */
static bool is_link(struct css_reader *c, const struct css_token *token, struct css_link *ret_link)
{
	bool is_url = token->kind == CSS_URL || innermost(c) == FUNCTION_URL;

	if (c->rule == RULE_WITHOUT_LINKS)
		return false;
	if (c->rule == RULE_IMPORT && (is_url || c->parens == 0)) {
		c->rule = RULE_NONE;
		*ret_link = link_of(token, LINK_STYLE);
		return true;
	}
	if (!is_url && innermost(c) != FUNCTION_IMAGES)
		return false;
	*ret_link = link_of(token, c->font_face ? LINK_FONT : LINK_IMAGE);
	return true;
}

static void follow(struct css_reader *c, const struct css_token *token)
{
	switch (token->kind) {
	case CSS_AT_KEYWORD:
		c->rule = rule_of(token->value);
		break;
	case CSS_FUNCTION:
		open_paren(c, function_of(token->value));
		break;
	case CSS_OPEN_PAREN:
		open_paren(c, FUNCTION_OTHER);
		break;
	case CSS_CLOSE_PAREN:
		c->parens -= c->parens > 0;
		break;
	case CSS_OPEN_BRACE:
		open_brace(c);
		break;
	case CSS_CLOSE_BRACE:
		close_brace(c);
		break;
	case CSS_SEMICOLON:
		if (c->parens == 0)
			c->rule = RULE_NONE;
		break;
	default:
		break;
	}
}

bool css_step(struct css_reader *c, const struct css_token *token, struct css_link *ret_link)
{
	if (token->kind == CSS_STRING || token->kind == CSS_URL)
		return is_link(c, token, ret_link);
	follow(c, token);
	return false;
}

int css_next(struct css_reader *c, struct css_link *ret_link)
{
	struct css_token token;
	int rc;

	while ((rc = css_token_next(&c->tokens, &token)) == 0)
		if (css_step(c, &token, ret_link))
			return 0;
	return rc;
}
