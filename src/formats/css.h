/*
 * Links in style sheets and style attributes: url(), src(), image-set() and @import (CSS Values 4,
 * section 4.5; CSS Images 4, section 2.1; CSS Cascade 5, section 2). Inside @font-face they are
 * fonts, elsewhere images.
 *
 *	css_init(&c, sheet);
 *	while ((rc = css_next(&c, &link)) == 0)
 *		use(link.url, link.kind);
 *	css_release(&c);
 */
#ifndef FORMATS_CSS_H
#define FORMATS_CSS_H

#include <stdbool.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "formats/links.h"

/*
 * Tokens of CSS (CSS Syntax Module Level 3, section 4), as far as links need them: numbers, hashes
 * and delimiters are all CSS_OTHER. Reads UTF-8 in memory; any bytes are CSS.
 */

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

/* Goes on with other input, borrowed as the first. */
void css_tokenizer_continue(struct css_tokenizer *t, slice in);

/* The next token, comments and white space left out: 0, ERR_END or ERR_NOMEM. */
int css_token_next(struct css_tokenizer *t, struct css_token *ret_token) SP_MUST_CHECK;

enum {
	CSS_PARENS_MAX = 64
}; /* nested parentheses that are told apart; deeper ones hold no links */

struct css_link {
	slice url;           /* valid until the next call */
	slice source;        /* the string or url(…) in the input */
	bool is_string;      /* a string, not url(…) without quotes */
	enum link_kind kind; /* LINK_STYLE, LINK_FONT or LINK_IMAGE */
};

/* Fields are the reader's own. */
struct css_reader {
	struct css_tokenizer tokens;
	unsigned braces;
	unsigned font_face; /* number of braces inside @font-face, 0 outside */
	unsigned rule;      /* the at-rule whose prelude is read */
	unsigned parens;
	unsigned char functions[CSS_PARENS_MAX];
};

/* Starts; the input (UTF-8) is borrowed until release. Allocates nothing. */
void css_init(struct css_reader *c, slice in);
void css_release(struct css_reader *c);

/* Takes in the next token, for callers who read them on their own; true when it is a link. */
bool css_step(struct css_reader *c, const struct css_token *token, struct css_link *ret_link);

/* The next link: 0, ERR_END or ERR_NOMEM. */
int css_next(struct css_reader *c, struct css_link *ret_link) SP_MUST_CHECK;

#endif
