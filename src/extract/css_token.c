#include "extract/css_token.h"

#include "base/err.h"
#include "base/utf8.h"
#include "base/word.h"

void css_tokenizer_init(struct css_tokenizer *t, slice in)
{
	css_tokenizer_continue(t, in);
	buf_init(&t->scratch, CSS_VALUE_MAX);
}

void css_tokenizer_continue(struct css_tokenizer *t, slice in)
{
	t->at = in.ptr;
	t->end = in.len ? in.ptr + in.len : in.ptr;
}

void css_tokenizer_release(struct css_tokenizer *t)
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
static int take_escape(struct css_tokenizer *t)
{
	uint32_t code = 0;
	char out[UTF8_MAX];
	int n = 0;

	if (t->at == t->end)
		return buf_add_str(&t->scratch, UTF8_REPLACEMENT);
	if (word_hex(*t->at) < 0)
		return buf_add_char(&t->scratch, *t->at++);
	for (; n < 6 && t->at != t->end && word_hex(*t->at) >= 0; n++)
		code = code * 16 + (uint32_t)word_hex(*t->at++);
	if (t->at != t->end && word_is_space(*t->at))
		skip_newline(t);
	return buf_add(&t->scratch, (slice){out, utf8_put(code ? code : 0xfffd, out)});
}

/* What has been put into the scratch, or an error of that; too long is cut. */
static int scratch_value(struct css_tokenizer *t, int rc, slice *ret_value)
{
	*ret_value = (slice){t->scratch.len ? t->scratch.ptr : "", t->scratch.len};
	return rc == ERR_LIMIT ? 0 : rc;
}

/* 4.3.11: a name; without escapes it is a part of the input. */
static int take_name(struct css_tokenizer *t, slice *ret_value)
{
	const char *from = t->at;
	int rc;

	while (t->at != t->end && is_name(*t->at))
		t->at++;
	*ret_value = (slice){from, (size_t)(t->at - from)};
	if (!is_escape(t, 0))
		return 0;
	buf_reset(&t->scratch);
	rc = buf_add(&t->scratch, *ret_value);
	while (rc != ERR_NOMEM) {
		int more = 0;

		if (is_escape(t, 0)) {
			t->at++;
			more = take_escape(t);
		} else if (t->at != t->end && is_name(*t->at)) {
			more = buf_add_char(&t->scratch, *t->at++);
		} else {
			break;
		}
		rc = rc ? rc : more;
	}
	return scratch_value(t, rc, ret_value);
}

/* The rest of a string (4.3.5) from its first backslash on. */
static int take_escaped_string(struct css_tokenizer *t, char quote, struct css_token *token)
{
	int rc;

	buf_reset(&t->scratch);
	rc = buf_add(&t->scratch, token->value);
	while (t->at != t->end && rc != ERR_NOMEM) {
		char c = *t->at;
		int more = 0;

		if (is_newline(c)) {
			token->kind = CSS_BAD_STRING;
			break;
		}
		t->at++;
		if (c == quote)
			break;
		if (c != '\\')
			more = buf_add_char(&t->scratch, c);
		else if (t->at != t->end && is_newline(*t->at))
			skip_newline(t);
		else if (t->at != t->end)
			more = take_escape(t);
		rc = rc ? rc : more;
	}
	return scratch_value(t, rc, &token->value);
}

/* 4.3.5: a string, behind its quote; without escapes it is a part of the input. */
static int take_string(struct css_tokenizer *t, char quote, struct css_token *token)
{
	const char *from = t->at;

	token->kind = CSS_STRING;
	while (t->at != t->end && *t->at != quote && *t->at != '\\' && !is_newline(*t->at))
		t->at++;
	token->value = (slice){from, (size_t)(t->at - from)};
	if (t->at == t->end)
		return 0;
	if (*t->at == '\\')
		return take_escaped_string(t, quote, token);
	if (*t->at == quote)
		t->at++;
	else
		token->kind = CSS_BAD_STRING;
	return 0;
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
static int take_url(struct css_tokenizer *t, struct css_token *token)
{
	int rc = 0;

	token->kind = CSS_URL;
	buf_reset(&t->scratch);
	while (t->at != t->end && *t->at != ')' && rc != ERR_NOMEM) {
		int more = 0;

		if (word_is_space(*t->at)) {
			skip_space(t);
			if (t->at == t->end || *t->at == ')')
				break;
			token->kind = CSS_BAD_URL;
		} else if (is_escape(t, 0)) {
			t->at++;
			more = take_escape(t);
		} else if (*t->at == '\\' || is_bad_in_url(*t->at)) {
			token->kind = CSS_BAD_URL;
		} else {
			more = buf_add_char(&t->scratch, *t->at++);
		}
		if (token->kind == CSS_BAD_URL) {
			skip_bad_url(t);
			return 0;
		}
		rc = rc ? rc : more;
	}
	if (t->at != t->end)
		t->at++;
	if (rc == ERR_LIMIT)
		token->kind = CSS_BAD_URL;
	return scratch_value(t, rc, &token->value);
}

/* 4.3.4: an identifier, a function, or url( and what is in it. */
static int take_ident_like(struct css_tokenizer *t, struct css_token *token)
{
	const char *behind;
	int rc = take_name(t, &token->value);

	token->kind = CSS_IDENT;
	if (rc || t->at == t->end || *t->at != '(')
		return rc;
	t->at++;
	token->kind = CSS_FUNCTION;
	if (!word_is(token->value, SLICE("url")))
		return 0;
	behind = t->at;
	skip_space(t);
	if (t->at != t->end && *t->at != '"' && *t->at != '\'')
		return take_url(t, token);
	t->at = behind;
	return 0;
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

/* A name or number that is no link's business: hashes and dimensions. */
static int take_other(struct css_tokenizer *t, struct css_token *token)
{
	token->kind = CSS_OTHER;
	t->at++;
	return take_name(t, &token->value);
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
static int take_token(struct css_tokenizer *t, struct css_token *token)
{
	char c = *t->at;

	*token = (struct css_token){.kind = punctuation(c)};
	if (c == '"' || c == '\'') {
		t->at++;
		return take_string(t, c, token);
	}
	if (word_is_digit(c) || c == '#')
		return take_other(t, token);
	if (c == '-' && ahead(t, 1) == '-' && ahead(t, 2) == '>') {
		t->at += 3;
		return 0;
	}
	if (starts_ident(t))
		return take_ident_like(t, token);
	t->at++;
	if (c != '@' || !starts_ident(t))
		return 0;
	token->kind = CSS_AT_KEYWORD;
	return take_name(t, &token->value);
}

int css_token_next(struct css_tokenizer *t, struct css_token *ret_token)
{
	const char *from;
	int rc;

	skip_blank(t);
	if (t->at == t->end)
		return ERR_END;
	from = t->at;
	rc = take_token(t, ret_token);
	ret_token->source = (slice){from, (size_t)(t->at - from)};
	return rc;
}
