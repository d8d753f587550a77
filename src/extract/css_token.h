/*
 * Tokens of CSS (CSS Syntax Module Level 3, section 4), as far as links need them: numbers, hashes
 * and delimiters are all CSS_OTHER. Reads UTF-8 in memory; any bytes are CSS.
 */
#ifndef EXTRACT_CSS_TOKEN_H
#define EXTRACT_CSS_TOKEN_H

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

enum { CSS_VALUE_MAX = 64 << 10 }; /* bytes of a name, string or URL that has escapes */

enum css_token_kind {
	CSS_IDENT,
	CSS_FUNCTION, /* its parenthesis is part of it */
	CSS_AT_KEYWORD,
	CSS_STRING,
	CSS_BAD_STRING,
	CSS_URL, /* url( without quotes */
	CSS_BAD_URL,
	CSS_OPEN_PAREN, /* also [ */
	CSS_CLOSE_PAREN,
	CSS_OPEN_BRACE,
	CSS_CLOSE_BRACE,
	CSS_SEMICOLON,
	CSS_OTHER,
};

struct css_token {
	enum css_token_kind kind;
	slice value;  /* names, strings, URLs; escapes replaced; valid until the next call */
	slice source; /* the part of the input that it was read from */
};

/* Fields are the reader's own. */
struct css_tokenizer {
	const char *at;
	const char *end;
	struct buf scratch;
};

/* Starts; the input is borrowed until release. Allocates nothing. */
void css_tokenizer_init(struct css_tokenizer *t, slice in);
void css_tokenizer_release(struct css_tokenizer *t);

/* Goes on with other input, borrowed as the first. */
void css_tokenizer_continue(struct css_tokenizer *t, slice in);

/* The next token, comments and white space left out: 0, ERR_END or ERR_NOMEM. */
int css_token_next(struct css_tokenizer *t, struct css_token *ret_token) SP_MUST_CHECK;

#endif
