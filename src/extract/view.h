/*
 * What of a page can be read, followed, seen or sent, as a list of items in the order of the
 * document: visible text, targets of links, sources of images, media and frames, forms with their
 * fields, title and metadata, texts in attributes, and data in scripts that carry content. Noise
 * is left out by the rules of extract/noise_rules.h. Two downloads with equal items are the same
 * page to its readers.
 *
 * From tokens, in one pass. Memory is bounded by the limits below. A page beyond them has `cut`
 * set, and nobody may call it unchanged for its items.
 *
 * Text that style sheets or scripts may hide counts as visible: they may show it as well.
 */
#ifndef EXTRACT_VIEW_H
#define EXTRACT_VIEW_H

#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "extract/html_token.h"
#include "extract/noise_rules.h"
#include "extract/rulebook.h"
#include "http/digest.h"

enum {
	VIEW_TEXT_MAX = 32 << 20, /* bytes of all items */
	VIEW_ITEMS_MAX = 1 << 20, /* items */
	VIEW_NODES_MAX = 1 << 20, /* elements whose places are known */
	VIEW_RAW_MAX = 8 << 20,   /* bytes of a script or style sheet in the page */
	VIEW_PLACE_MAX = 512,     /* bytes of a place as text */
	VIEW_END_TAG_REACH = 256, /* open elements among which an end tag looks for its own */
	VIEW_DEPTH_SHOWN = 8,     /* elements of a place as text */
};

/* clang-format off */
#define VIEW_KINDS(X) \
	X(TEXT, "text") \
	X(TITLE, "title") \
	X(META, "meta")     /* description, robots, canonical and alternate addresses */ \
	X(LINK, "link") \
	X(IMAGE, "image") \
	X(MEDIA, "media")   /* sound, video, plug-ins */ \
	X(FRAME, "frame") \
	X(FORM, "form") \
	X(FIELD, "field") \
	X(LABEL, "label")   /* alt, title, placeholder, aria-label and the like */ \
	X(DATA, "data")     /* literals of JSON and scripts */ \
	X(ASSET, "asset")   /* styles and scripts, when their rule is off */ \
	X(MARKUP, "markup") /* attributes, comments, code, when their rules are off */
/* clang-format on */

enum view_kind {
#define X(id, name) VIEW_##id,
	VIEW_KINDS(X)
#undef X
		VIEW_KIND_COUNT,
};

struct view_item {
	enum view_kind kind;
	uint32_t seq;     /* its number in the order of the document */
	uint32_t node;    /* number of its element, 0 for none */
	uint64_t group;   /* of data: what script they are from, by the names in it */
	const char *attr; /* the attribute that holds it, lives for ever; NULL for none */
	bool learnable; /* a "name=value" nobody sees: quality/learner.h may find it to be noise */
	size_t from, len; /* canonical text, in view.text */
};

/* An element; its parent has a smaller number. */
struct view_node {
	uint32_t parent;
	uint32_t nth;      /* child of its parent, from 1 */
	uint32_t children; /* so far */
	uint32_t item;     /* number of the first item in or after it */
	uint32_t name;     /* offset in view.names: id or name, NUL-terminated; 0 for none */
	uint8_t tag;       /* of enum html_tag */
};

/* What a rule of the user did. */
struct view_ignored {
	uint64_t count;
	uint64_t mark; /* hash of what it acted on, in order */
};

VEC_DECLARE(view_ignored_vec, struct view_ignored);
VEC_DECLARE(view_item_vec, struct view_item);
VEC_DECLARE(view_node_vec, struct view_node);

struct view {
	struct noise noise; /* rules and what they did */
	struct view_item_vec items;
	uint64_t visible; /* characters of text, masked ones among them */
	bool cut;         /* something was beyond a limit: never the same as another */
	uint64_t manner;  /* number of the rules, as far as they are not the default; 0: they are */
	bool ignores;     /* rules of the user hold for the page: */
	struct ignore_page ignore;
	struct view_ignored_vec ignored; /* by number of the rule */
	/* The rest is the reader's own. */
	struct buf text;
	struct buf names;
	struct view_node_vec nodes;
	uint32_t open;      /* the innermost open element */
	struct buf run;     /* visible text since the last item or line */
	uint32_t run_node;  /* where it began */
	bool space;         /* white space is due before the next word */
	bool line_has_text; /* so that it is due at all */
	enum html_tag raw;  /* the element whose raw text is gathered */
	struct buf raw_text;
	unsigned raw_type;  /* what a script is */
	uint32_t mail_node; /* the element whose placeholder an address replaced */
	uint32_t ignoring;  /* the rule that ignores the open element, or IGNORE_NONE */
	struct buf scratch;
	struct buf draft;
};

/* An empty view under the rules of the set. */
void view_init(struct view *v, noise_set rules);

/* Empty again, memory kept. */
void view_reset(struct view *v, noise_set rules);
void view_release(struct view *v);

/*
 * Empty again, under the rules of the book for a page of that URL. The book is borrowed until the
 * next start or reset. 0 or ERR_NOMEM.
 */
int view_start(struct view *v, const struct rulebook *book, slice url) SP_MUST_CHECK;

/* Says what the document is, before its first token; flags are of enum html_flags (0 if not
 * called).
 */
void view_set_flags(struct view *v, unsigned flags);

/*
 * Of a page that was finished: the name of the user's rule whose required element is missing; empty
 * when all are there.
 */
slice view_missing(const struct view *v);

/* Takes in a token of the document. 0 or ERR_NOMEM. */
int view_token(struct view *v, const struct html_token *token) SP_MUST_CHECK;

/*
 * Says that the document has ended. Metadata now come first, sorted, and data last, script by
 * script: where they stand in the page does not matter. 0 or ERR_NOMEM.
 */
int view_finish(struct view *v) SP_MUST_CHECK;

/* The text of an item, valid until the view is released or reset. */
static inline slice view_item_text(const struct view *v, const struct view_item *item)
{
	return (slice){item->len ? v->text.ptr + item->from : "", item->len};
}

/* The word for a kind; lives for ever. */
const char *view_kind_name(enum view_kind kind);

/* Where the item stands, as "body > div#main > p:nth-child(3) > a[href]". 0 or ERR_NOMEM. */
int view_place(const struct view *v, const struct view_item *item, struct buf *out) SP_MUST_CHECK;

/*
 * The normalised digest: SHA-256 over the version of the rules, the set of rules and kind,
 * attribute and text of all items. 0, ERR_NOMEM, ERR_LIMIT when the view is cut.
 */
int view_digest(const struct view *v, struct digest *ret_digest) SP_MUST_CHECK;

#endif
