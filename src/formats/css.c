#include "formats/css.h"

#include "base/err.h"
#include "base/utf8.h"
#include "base/word.h"

/* Starts; the input is borrowed until release. Allocates nothing. */
static void css_tokenizer_init(struct css_tokenizer *t, slice in)
{
	css_tokenizer_continue(t, in);
	buf_init(&t->scratch, CSS_VALUE_MAX);
}

void css_tokenizer_continue(struct css_tokenizer *t, slice in)
{
	t->at = in.ptr;
	t->end = in.len ? in.ptr + in.len : in.ptr;
}

static void css_tokenizer_release(struct css_tokenizer *t)
{
	buf_release(&t->scratch);
}

/* The byte so far ahead; NUL at the end, where it means nothing. */
static char ahead(const struct css_tokenizer *t, size_t n)
{
	if ((size_t)(t->end - t->at) > n)
		return t->at[n];
	return '\0';
}

static bool is_newline(char c)
{
	return c == '\n' || c == '\r' || c == '\f';
}

/* Name-start code point; anything above ASCII is one. */
static bool starts_name(char c)
{
	return word_is_alpha(c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_name(char c)
{
	return starts_name(c) || word_is_digit(c) || c == '-';
}

/* 4.3.8: the two bytes at that distance are a valid escape. */
static bool is_escape(const struct css_tokenizer *t, size_t n)
{
	return ahead(t, n) == '\\' && !is_newline(ahead(t, n + 1)) &&
	       (size_t)(t->end - t->at) > n + 1;
}

/* 4.3.9: what comes would start an identifier. */
static bool starts_ident(const struct css_tokenizer *t)
{
	if (ahead(t, 0) == '-')
		return starts_name(ahead(t, 1)) || ahead(t, 1) == '-' || is_escape(t, 1);
	return starts_name(ahead(t, 0)) || is_escape(t, 0);
}

static void skip_newline(struct css_tokenizer *t)
{
	t->at += ahead(t, 0) == '\r' && ahead(t, 1) == '\n' ? 2 : 1;
}

/* 4.3.7, behind the backslash; the end of the input is U+FFFD. */
static void take_escape(struct css_tokenizer *t)
{
	uint32_t code = 0;
	char out[UTF8_MAX];
	int n = 0;

	if (t->at == t->end) {
		buf_add_str(&t->scratch, UTF8_REPLACEMENT);
		return;
	}
	if (word_hex(*t->at) < 0) {
		buf_add_char(&t->scratch, *t->at++);
		return;
	}
	for (; n < 6 && t->at != t->end && word_hex(*t->at) >= 0; n++)
		code = code * 16 + (uint32_t)word_hex(*t->at++);
	if (t->at != t->end && word_is_space(*t->at))
		skip_newline(t);
	buf_add(&t->scratch, (slice){out, utf8_put(code ? code : 0xfffd, out)});
}

/* What has been put into the scratch; too long is cut. */
static slice scratch_value(const struct css_tokenizer *t)
{
	return (slice){t->scratch.len ? t->scratch.ptr : "", t->scratch.len};
}

/* 4.3.11: a name; without escapes it is a part of the input. */
static slice take_name(struct css_tokenizer *t)
{
	const char *from = t->at;
	slice value;

	while (t->at != t->end && is_name(*t->at))
		t->at++;
	value = (slice){from, (size_t)(t->at - from)};
	if (!is_escape(t, 0))
		return value;
	buf_reset(&t->scratch);
	buf_add(&t->scratch, value);
	for (;;) {
		if (is_escape(t, 0)) {
			t->at++;
			take_escape(t);
		} else if (t->at != t->end && is_name(*t->at)) {
			buf_add_char(&t->scratch, *t->at++);
		} else {
			return scratch_value(t);
		}
	}
}

/* The rest of a string (4.3.5) from its first backslash on. */
static void take_escaped_string(struct css_tokenizer *t, char quote, struct css_token *token)
{
	buf_reset(&t->scratch);
	buf_add(&t->scratch, token->value);
	while (t->at != t->end) {
		char c = *t->at;

		if (is_newline(c)) {
			token->kind = CSS_BAD_STRING;
			break;
		}
		t->at++;
		if (c == quote)
			break;
		if (c != '\\')
			buf_add_char(&t->scratch, c);
		else if (t->at != t->end && is_newline(*t->at))
			skip_newline(t);
		else if (t->at != t->end)
			take_escape(t);
	}
	token->value = scratch_value(t);
}

/* 4.3.5: a string, behind its quote; without escapes it is a part of the input. */
static void take_string(struct css_tokenizer *t, char quote, struct css_token *token)
{
	const char *from = t->at;

	token->kind = CSS_STRING;
	while (t->at != t->end && *t->at != quote && *t->at != '\\' && !is_newline(*t->at))
		t->at++;
	token->value = (slice){from, (size_t)(t->at - from)};
	if (t->at == t->end)
		return;
	if (*t->at == '\\')
		take_escaped_string(t, quote, token);
	else if (*t->at == quote)
		t->at++;
	else
		token->kind = CSS_BAD_STRING;
}

/* 4.3.14: the rest of a broken url(. */
static void skip_bad_url(struct css_tokenizer *t)
{
	while (t->at != t->end && *t->at != ')')
		t->at += is_escape(t, 0) ? 2 : 1;
	if (t->at != t->end)
		t->at++;
}

static void skip_space(struct css_tokenizer *t)
{
	while (t->at != t->end && word_is_space(*t->at))
		t->at++;
}

static bool is_bad_in_url(char c)
{
	return c == '"' || c == '\'' || c == '(' || (c >= 0 && c < 0x20 && !word_is_space(c)) ||
	       c == 0x7f;
}

/* 4.3.6: a url token, behind its parenthesis and white space. */
static void take_url(struct css_tokenizer *t, struct css_token *token)
{
	token->kind = CSS_URL;
	buf_reset(&t->scratch);
	while (t->at != t->end && *t->at != ')') {
		if (word_is_space(*t->at)) {
			skip_space(t);
			if (t->at == t->end || *t->at == ')')
				break;
			token->kind = CSS_BAD_URL;
		} else if (is_escape(t, 0)) {
			t->at++;
			take_escape(t);
		} else if (*t->at == '\\' || is_bad_in_url(*t->at)) {
			token->kind = CSS_BAD_URL;
		} else {
			buf_add_char(&t->scratch, *t->at++);
		}
		if (token->kind == CSS_BAD_URL) {
			skip_bad_url(t);
			return;
		}
	}
	if (t->at != t->end)
		t->at++;
	if (t->scratch.error)
		token->kind = CSS_BAD_URL;
	token->value = scratch_value(t);
}

/* 4.3.4: an identifier, a function, or url( and what is in it. */
static void take_ident_like(struct css_tokenizer *t, struct css_token *token)
{
	const char *behind;

	token->value = take_name(t);
	token->kind = CSS_IDENT;
	if (t->at == t->end || *t->at != '(')
		return;
	t->at++;
	token->kind = CSS_FUNCTION;
	if (!word_is(token->value, SLICE("url")))
		return;
	behind = t->at;
	skip_space(t);
	if (t->at != t->end && *t->at != '"' && *t->at != '\'')
		take_url(t, token);
	else
		t->at = behind;
}

/* Skips comments and white space. */
static void skip_blank(struct css_tokenizer *t)
{
	for (;;) {
		skip_space(t);
		if (ahead(t, 0) != '/' || ahead(t, 1) != '*')
			return;
		t->at += 2;
		while (t->at != t->end && !(t->at[0] == '*' && ahead(t, 1) == '/'))
			t->at++;
		t->at += t->at == t->end ? 0 : 2;
	}
}

static enum css_token_kind punctuation(char c)
{
	switch (c) {
	case '(':
	case '[':
		return CSS_OPEN_PAREN;
	case ')':
	case ']':
		return CSS_CLOSE_PAREN;
	case '{':
		return CSS_OPEN_BRACE;
	case '}':
		return CSS_CLOSE_BRACE;
	case ';':
		return CSS_SEMICOLON;
	default:
		return CSS_OTHER;
	}
}

/* The token that begins here, which is neither white space nor a comment. */
static void take_token(struct css_tokenizer *t, struct css_token *token)
{
	char c = *t->at;

	*token = (struct css_token){.kind = punctuation(c)};
	if (c == '"' || c == '\'') {
		t->at++;
		take_string(t, c, token);
	} else if (word_is_digit(c) || c == '#') { /* hashes and dimensions hold no link */
		token->kind = CSS_OTHER;
		t->at++;
		token->value = take_name(t);
	} else if (c == '-' && ahead(t, 1) == '-' && ahead(t, 2) == '>') {
		t->at += 3;
	} else if (starts_ident(t)) {
		take_ident_like(t, token);
	} else {
		t->at++;
		if (c == '@' && starts_ident(t)) {
			token->kind = CSS_AT_KEYWORD;
			token->value = take_name(t);
		}
	}
}

int css_token_next(struct css_tokenizer *t, struct css_token *ret_token)
{
	const char *from;

	skip_blank(t);
	if (t->at == t->end)
		return ERR_END;
	from = t->at;
	take_token(t, ret_token);
	ret_token->source = (slice){from, (size_t)(t->at - from)};
	return 0;
}

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

	while (css_token_next(&c->tokens, &token) == 0)
		if (css_step(c, &token, ret_link))
			return 0;
	return ERR_END;
}
