/*
 * Which attribute of which element holds a link, how, and of which kind (HTML, "attributes" index;
 * SVG 2, section 16; and what pages did before and do beside the standards).
 */
#ifndef FORMATS_LINKS_RULES_H
#define FORMATS_LINKS_RULES_H

#include "formats/html_token.h"
#include "formats/link_kind.h"

enum links_how {
	LINKS_URL,
	LINKS_GUESS, /* a URL if it looks like one */
	LINKS_SRCSET,
	LINKS_CSS,
};

struct links_rule {
	enum links_how how;
	enum link_kind kind;
};

/* Whether that attribute of the start tag holds a link, and how; untouched when not. */
bool links_rule_of(
	const struct html_token *token, slice attr, bool in_picture, struct links_rule *ret_rule);

#endif
