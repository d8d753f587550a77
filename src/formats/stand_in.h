/*
 * What stands in the place of a page: reads the signs of an HTML body as its tokens pass by, and
 * judges a response by them and by its head (formats/blocked.h). The crawler does so once, verify
 * again from the WARC record.
 *
 *	stand_in_reset(&s);
 *	for each token:
 *		stand_in_token(&s, token);
 *	body = stand_in_body(&s);
 *	rc = stand_in_judge(&facts, text);
 *
 * Only the beginning of a page is read: one with much text or many links is the page, whatever its
 * signs.
 */
#ifndef FORMATS_STAND_IN_H
#define FORMATS_STAND_IN_H

#include "base/api.h"
#include "formats/blocked.h"
#include "formats/http_fields.h"
#include "formats/page_signs.h"
#include "formats/text.h"

enum {
	STAND_IN_VERSION = 4, /* of the signs: to be raised when one is added or changed */
	STAND_IN_SIZE = 64,   /* of the text, with its NUL */
};

/* Fields are its own. */
struct stand_in {
	struct page_signs signs;
	struct page_text text;
	bool is_page; /* nothing can stand in its place any more, but it may be a shell */
};

void stand_in_init(struct stand_in *s);
void stand_in_reset(struct stand_in *s);
void stand_in_release(struct stand_in *s);

/* Whether that Content-Type is of HTML, or does not tell. */
bool stand_in_is_html(slice content_type);

/* Whether bodies of responses with this head are or may be HTML, and to be read. */
bool stand_in_applies(const struct fields *head);

void stand_in_token(struct stand_in *s, const struct html_token *token);

/* What the whole body shows. */
struct blocked_body stand_in_body(const struct stand_in *s);

/* All is borrowed for the call. */
struct stand_in_facts {
	unsigned status;
	const struct fields *head;
	slice url;                       /* of the page */
	const struct blocked_body *body; /* NULL: not HTML, or not whole */
	slice missing; /* the user's rule whose required element is missing; empty for none */
};

/*
 * Writes "challenge: …", "login: …", "refused: …", "shell: …" or "doubt: …" (blocked_kind_name,
 * reason), "required: …" when the page lacks what the user requires, or "" when it is the page. 0
 * or ERR_NOMEM.
 */
int stand_in_judge(const struct stand_in_facts *facts, char ret_text[STAND_IN_SIZE]) SP_MUST_CHECK;

/* Whether such a text tells of a page that only scripts fill: not blocked, but not known. */
bool stand_in_is_shell(slice text);

/* Whether it is the page, with a login box of which one page cannot tell whether it hides more. */
bool stand_in_is_doubt(slice text);

/* Whether the page that was asked for is not there: neither of these, nor "". */
bool stand_in_blocks(slice text);

#endif
