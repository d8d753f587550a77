/*
 * What of a page hints that it is not the page that was asked for: marks of block and challenge
 * pages, password fields, the frame of a page that scripts fill. From tokens, in one pass with
 * text.h; formats/blocked.h judges. Only markup and scripts are looked at, never visible text: an
 * article about captchas has none of these signs.
 */
#ifndef FORMATS_PAGE_SIGNS_H
#define FORMATS_PAGE_SIGNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "formats/html_token.h"
#include "formats/shell.h"

enum {
	PAGE_SIGNS_SCRIPT_MAX = 64 << 10, /* bytes of a script that are searched */
};

/* Marks that only pages have which stand in another's place; the words are for reports. */
#define PAGE_MARKS(X)                           \
	X(NONE, "")                             \
	X(AMAZON, "amazon captcha")             \
	X(ANUBIS, "anubis challenge")           \
	X(AWS_WAF, "aws waf challenge")         \
	X(CLOUDFLARE, "cloudflare challenge")   \
	X(CLOUDFLARE_ERROR, "cloudflare error") \
	X(DATADOME, "datadome captcha")         \
	X(DDOS_GUARD, "ddos-guard challenge")   \
	X(F5, "f5 challenge")                   \
	X(GOOGLE, "google captcha")             \
	X(IMPERVA, "imperva challenge")         \
	X(KASADA, "kasada challenge")           \
	X(PERIMETERX, "perimeterx captcha")     \
	X(SITEGROUND, "siteground captcha")     \
	X(SUCURI, "sucuri challenge")

enum page_mark {
#define X(id, words) PAGE_MARK_##id,
	PAGE_MARKS(X)
#undef X
		PAGE_MARK_COUNT,
};

/* The words; constant. */
const char *page_mark_name(enum page_mark mark);

struct page_signs {
	enum page_mark mark; /* the first that was met */
	uint32_t passwords;  /* fields for one */
	uint32_t ways;       /* links that lead on: not to accounts, help, terms or the home page */
	uint32_t ways_out;   /* the same with a scheme or host */
	uint32_t other_forms; /* to write something in, but no password */
	bool captcha;         /* a captcha's box: on block pages, but in honest forms, too */
	struct shell shell;
	/* The rest is the reader's own. */
	enum html_tag inside; /* script or noscript, whose text is gathered */
	bool is_code;         /* a script that runs, not data */
	bool cut;             /* the text was longer */
	bool form_asks;       /* the form that is open has a field to write in */
	bool form_is_login;   /* and one for a password */
	struct buf text;
};

void page_signs_init(struct page_signs *s);

/* As new, with the memory that it has. */
void page_signs_reset(struct page_signs *s);
void page_signs_release(struct page_signs *s);

/* Takes in a token. */
void page_signs_token(struct page_signs *s, const struct html_token *token);

#endif
