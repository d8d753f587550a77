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

#endif
