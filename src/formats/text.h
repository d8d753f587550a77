/*
 * What a reader sees of a page, and what the predictor of changes asks of it: visible text, title,
 * language, robots, counts. From tokens, as they come.
 *
 * Visible text: runs of white space are one blank; elements that start a new line when laid out
 * start one here, without blanks around it or empty lines. Left out: title, script, style,
 * template, noscript, iframe, noembed, noframes, object, and title and desc in SVG. What style
 * sheets and scripts hide or show is not known here.
 */
#ifndef FORMATS_TEXT_H
#define FORMATS_TEXT_H

#include <stdint.h>

#include "base/buf.h"
#include "formats/html_token.h"

enum {
	TEXT_MAX = 16 << 20,    /* bytes of visible text; the rest is cut */
	TEXT_TITLE_MAX = 4096,  /* bytes of the title; the same */
	TEXT_LANGUAGE_MAX = 64, /* bytes; a longer one is none */
	TEXT_ROBOTS_MAX = 1024, /* bytes of the directives; more are left out */
};

/* What robots metas and X-Robots-Tag headers ask for. */
enum text_robots {
	TEXT_NOINDEX = 1,
	TEXT_NOFOLLOW = 2,
	TEXT_NOARCHIVE = 4,
};

struct page_text {
	struct buf text;
	struct buf title;
	struct buf language;   /* as written: "en", "de-CH"; empty when unknown */
	struct buf robots;     /* directives in lower case, separated by ", " */
	unsigned robots_flags; /* of enum text_robots */
	uint64_t images;       /* img, input type=image, image of SVG */
	uint64_t tables;
	uint64_t links; /* a and area that lead somewhere else than within the page */
	bool cut;       /* something was longer than its limit */
	/* The rest is the reader's own. */
	enum html_tag hidden; /* the element whose text is left out */
	size_t hidden_depth;
	bool has_title;
	bool in_title;
	bool language_from_html;
	bool space; /* white space is due before the next word */
	bool line;  /* a new line is */
};

void page_text_init(struct page_text *p);

/* Empty again, with the memory that it has, unless that is much. */
void page_text_reset(struct page_text *p);
void page_text_release(struct page_text *p);

/* Takes in a token. */
void page_text_token(struct page_text *p, const struct html_token *token);

/* Takes in plain text, in any number of pieces. */
void page_text_plain(struct page_text *p, slice text);

#endif
