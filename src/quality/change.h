/*
 * Whether two downloads of a page show the same: equal bytes, or equal in all that can be read,
 * followed, seen or sent (extract/view.h), or changed.
 *
 * HTML and XHTML are normalised. A page without any visible text is compared by its bytes, too:
 * what it shows is made by scripts and not known here. All other types (style sheets, scripts,
 * JSON, XML, feeds, plain text, images, PDF) are compared by their bytes: in them nothing is known
 * to be noise for certain.
 */
#ifndef QUALITY_CHANGE_H
#define QUALITY_CHANGE_H

#include "base/arena.h"
#include "extract/view.h"
#include "quality/learned.h"

enum {
	CHANGE_DIFFERS_MAX = 20,
	CHANGE_SHOWN_MAX = 200,
	CHANGE_RULES_MAX = NOISE_RULE_COUNT + 64, /* that are named */
};

/* Rules are numbered: built-in ones as enum noise_rule, then the user's, then learned ones. */
#define CHANGE_USER_FIRST    ((uint32_t)NOISE_RULE_COUNT)
#define CHANGE_LEARNED_FIRST (CHANGE_USER_FIRST + IGNORE_RULES_MAX)

/* Visible text that rules may mask: a page with more is not called unchanged. */
#define CHANGE_MASKED_MAX 0.05

enum change_same {
	CHANGE_DIFFERENT,
	CHANGE_BYTES,
	CHANGE_NORMALISED,
};

/* By which rules two downloads are compared; all is borrowed. */
struct change_terms {
	const struct rulebook *book;
	const struct learned *learned; /* NULL: none */
	slice url;                     /* of the page: some rules hold for some pages only */
};

struct change_params {
	slice a, b;       /* the two bodies, content coding undone; borrowed */
	slice media_type; /* a Content-Type's value; empty means HTML */
	struct change_terms terms;
};

/* One place where the two differ; a or b has a NULL ptr when it is missing there. */
struct change_difference {
	slice where, a, b;
};

struct change_rule {
	uint32_t rule;
	slice name;     /* that of the book, or of the learned rules */
	uint64_t count; /* times that it acted, in the page where it did so more often */
};

struct change {
	enum change_same same;
	/* The rules that were needed: they acted, and not on the same bytes in both pages. */
	struct change_rule rules[CHANGE_RULES_MAX];
	size_t rule_count;
	double masked_visible; /* share of the visible text that rules masked, the larger one */
	struct change_difference differs[CHANGE_DIFFERS_MAX];
	size_t differ_count; /* there may be more */
	struct arena arena;  /* owns the texts of differs */
};

/* Compares. 0 or ERR_NOMEM; ret is to be released in both cases. */
int change_compare(const struct change_params *params, struct change *ret) SP_MUST_CHECK;

void change_release(struct change *c);

/* "bytes", "normalised", or NULL when different. */
const char *change_same_name(enum change_same same);

/* Whether documents of this type are normalised at all. */
bool change_normalises(slice media_type);

/*
 * Reads a body of such a type into a view that was initialised by its caller: what view_digest is
 * taken of. 0 or ERR_NOMEM.
 */
int change_view(slice body, slice media_type, struct view *view) SP_MUST_CHECK;

/* One of the two, as change_compare compares them. */
struct change_side {
	struct view view;
	struct learned_tally learned;
};

/* Reads a body of such a type by the terms. 0 or ERR_NOMEM; to be released in both cases. */
int change_side_read(struct change_side *s, slice body, slice media_type,
	const struct change_terms *terms) SP_MUST_CHECK;
void change_side_release(struct change_side *s);

/* The terms without one rule; what they borrow is in the room, and valid as long as that. */
struct change_room {
	struct rulebook book;
	struct learned learned;
};
struct change_terms change_without(
	const struct change_terms *terms, uint32_t rule, struct change_room *room);

#endif
