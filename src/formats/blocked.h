/*
 * Whether an answer is the page that was asked for, or stands in its place: a block or challenge
 * page, a login page, a page that only scripts fill. Such an answer is never sharp. Pure;
 * docs/judgement.md tells curators the same.
 *
 * Conservative: a sign that honest pages have as well decides nothing alone. A captcha's box
 * counts only with a status of refusal, a password field only on a page with nothing else to
 * follow, and visible text never. Missed ones remain: a site's own block page that answers 200 can
 * be recognised only by the user's rule (`require` in formats/ignore.h), or because many URLs have
 * the same body, which one page does not show.
 */
#ifndef FORMATS_BLOCKED_H
#define FORMATS_BLOCKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "formats/http_fields.h"
#include "formats/page_signs.h"
#include "formats/text.h"
#include "formats/url.h"

enum {
	BLOCKED_TEXT_MAX = 1500,       /* bytes of visible text of a challenge page */
	BLOCKED_LINKS_MAX = 12,        /* links of one */
	BLOCKED_LOGIN_TEXT_MAX = 1000, /* the same of a login page, which has links to help */
	BLOCKED_LOGIN_LINKS_MAX = 30,
	BLOCKED_LOGIN_WAYS_OUT = 2, /* links to other sites: who made it, and the like */
};

enum blocked_kind {
	BLOCKED_NOT,
	BLOCKED_REFUSED,   /* a block page */
	BLOCKED_CHALLENGE, /* a captcha or a riddle for the browser */
	BLOCKED_LOGIN,
	BLOCKED_SHELL, /* not blocked: a script shell, for the verdict `shell` */
	BLOCKED_DOUBT, /* not blocked: the page, with a login box that may be all there is */
};

/* "", "refused", "challenge", "login", "shell", "doubt"; constant. */
const char *blocked_kind_name(enum blocked_kind kind);

/* What an HTML body shows, whatever the head says: small enough to be kept of every response. */
struct blocked_body {
	uint8_t mark; /* enum page_mark */
	bool is_short;
	bool captcha;
	bool product_title; /* of a page that only products' own pages have */
	bool refusal_title; /* that honest pages have, too */
	bool password_form; /* with nothing else to follow */
	bool login_box;     /* with little else */
	bool is_shell;
};

struct blocked_body blocked_read(const struct page_signs *signs, const struct page_text *text);

/* All is borrowed for the call. */
struct blocked_facts {
	unsigned status;
	const struct fields *fields;     /* of the response; NULL: unknown */
	const struct url *asked;         /* the URL of the page */
	const struct url *target;        /* of a redirect: where it leads; else NULL */
	const struct blocked_body *body; /* of an HTML page; else NULL */
};

struct blocked {
	enum blocked_kind kind;
	const char *reason; /* for people: "cloudflare challenge"; constant, "" for BLOCKED_NOT */
};

struct blocked blocked_judge(const struct blocked_facts *facts);

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
