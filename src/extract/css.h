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
#ifndef EXTRACT_CSS_H
#define EXTRACT_CSS_H

#include <stdbool.h>

#include "extract/css_token.h"
#include "extract/link_kind.h"

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
