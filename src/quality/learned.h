/*
 * Learned rules: places of a site's templates that vary by themselves, found by quick double
 * fetches (learner.h), and masked when two looks at a page of the same kind are compared. A rule
 * is a line of text:
 *
 *	http://example.org/news/ 5f3a9c11 field zq7 html>body>form>input 3
 *
 * kind of page (place.h), what stands there, its name, the place, and by how many pages it is
 * supported. What may stand there:
 *
 *	field, data, meta    a value under a name that nobody sees
 *	image, frame, media  an address of another site: an advertisement; the name is the attribute
 *	text                 a visible line that begins with the name; only if the user asks for it
 *
 * Blanks and the like in names are percent-encoded.
 *
 * Invariants:
 *	(1) links, forms, linked data, and the page's own images and frames are never masked;
 *	(2) nor is what reads like content (learnable.h) on the page, whatever was learned;
 *	(3) an advertisement is masked where it is the only one at its place in the page;
 *	(4) masked text counts in view.noise.tally.masked.
 */
#ifndef QUALITY_LEARNED_H
#define QUALITY_LEARNED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"
#include "extract/view.h"
#include "url/url.h"

enum {
	LEARNED_VERSION = 1,     /* goes up with every change of what lines mean or mask */
	LEARNED_RULES_MAX = 256, /* of a capture */
	LEARNED_NAME_MAX = 96,   /* bytes of a name, encoded */
	LEARNED_LINE_MAX = 8192, /* bytes of a line */
};

enum learned_what {
	LEARNED_NONE,
	LEARNED_FIELD,
	LEARNED_DATA,
	LEARNED_META,
	LEARNED_IMAGE,
	LEARNED_FRAME,
	LEARNED_MEDIA,
	LEARNED_TEXT,
};

static inline bool learned_is_embedded(enum learned_what what)
{
	return what == LEARNED_IMAGE || what == LEARNED_FRAME || what == LEARNED_MEDIA;
}

/* Something in a view that a rule could be about; slices are the view's. */
struct learned_spot {
	enum learned_what what;
	slice name;  /* of LEARNED_TEXT: empty */
	slice value; /* all of a text */
};

/* What an item is to a rule: LEARNED_NONE for content. scratch is the caller's. */
struct learned_spot learned_spot_of(const struct view *v, const struct view_item *item,
	const struct url *page, struct url *scratch);

/*
 * Appends "KIND WHAT NAME PLACE", by which rules are known; kind is that of place_kind. 0,
 * ERR_NOMEM; ERR_LIMIT: it has no place, or too long a name.
 */
int learned_key(const struct view *v, uint32_t node, slice kind, enum learned_what what, slice name,
	struct buf *out) SP_MUST_CHECK;

/* Strings are those of the set. */
struct learned_rule {
	slice key;
	slice label; /* for reports: "learned:field:zq7", "learned:image:src" */
	slice start; /* of LEARNED_TEXT: what the line begins with */
	enum learned_what what;
	uint32_t pages;
};

VEC_DECLARE(learned_rules, struct learned_rule);

/* Rules may be read; off may be set in a copy, which is not to be released. */
struct learned {
	struct learned_rules rules; /* sorted by key */
	struct strmap index;        /* by key */
	struct strmap kinds;        /* of pages that have rules, and their directories */
	uint32_t off;               /* 1 + number of a rule that is not to act; 0: all act */
	struct arena arena;
};

/* No rules; allocates nothing. */
void learned_init(struct learned *l);
void learned_release(struct learned *l);

/* Adds a rule; it is sorted in by learned_finish. 0, ERR_EXISTS, ERR_LIMIT, ERR_SYNTAX, ERR_NOMEM.
 */
int learned_add(struct learned *l, slice key, uint32_t pages) SP_MUST_CHECK;

/* All are there: sorts them. 0 or ERR_NOMEM. */
int learned_finish(struct learned *l) SP_MUST_CHECK;

/* Adds the rule of a line, without its end. As learned_add. */
int learned_parse(struct learned *l, slice line) SP_MUST_CHECK;

/* Appends a rule's line, without an end. 0, ERR_NOMEM, ERR_LIMIT. */
int learned_format(const struct learned_rule *rule, struct buf *out) SP_MUST_CHECK;

/* What the rules did to a page, by the number of the rule. */
struct learned_tally {
	struct {
		uint32_t count;
		uint64_t mark; /* hash of what it acted on, in order */
	} rules[LEARNED_RULES_MAX];
};

/* Whether pages of that kind, or of that directory, have rules. */
bool learned_knows(const struct learned *l, slice kind);

/* Masks what stands at learned places of a finished view, and adds to tally. 0 or ERR_NOMEM. */
int learned_mask(const struct learned *l, const struct url *page, struct view *v,
	struct learned_tally *tally) SP_MUST_CHECK;

#endif
