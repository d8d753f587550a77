/*
 * Gathers the links of a document, from tokens, style sheets and headers, in the order of their
 * first appearance, each pair of reference and kind once. References are as written, without the
 * blanks around them: resolve them against `base` (itself resolved against the document's URL) when
 * the document has been read, because a base element counts for the links before it, too.
 *
 * Left out: empty references and ones that begin with "#" (but a form may go to its own page),
 * and data: and javascript: URLs, which lead nowhere.
 */
#ifndef FORMATS_LINKS_H
#define FORMATS_LINKS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/charset.h"
#include "formats/html_token.h"

/*
 * What a link is for: the kinds that `stillpoint inspect links` names (a contract), and what a rel
 * means (HTML 4.6.7 and the microformats' list of existing values).
 */

/* clang-format off */
#define LINK_KINDS(X) \
	X(PAGE, "page")           /* somewhere to go */ \
	X(IMAGE, "image") \
	X(STYLE, "style") \
	X(SCRIPT, "script") \
	X(MEDIA, "media")         /* sound, video, subtitles, plug-ins */ \
	X(FONT, "font") \
	X(FRAME, "frame") \
	X(FORM, "form")           /* where a GET form would go; never followed unasked */ \
	X(CANONICAL, "canonical") \
	X(ALTERNATE, "alternate") /* feeds, translations, other formats */ \
	X(SITEMAP, "sitemap") \
	X(OTHER, "other")
/* clang-format on */

enum link_kind {
#define X(id, name) LINK_##id,
	LINK_KINDS(X)
#undef X
		LINK_KIND_COUNT,
};

/* Whether what it leads to is part of the page: an image, a style, a script, a font, a frame … */
bool link_kind_is_requisite(enum link_kind kind);

/* The word for a kind; lives for ever. */
const char *link_kind_name(enum link_kind kind);

/*
 * The kinds of a link with this rel and these `as` and `type` (empty when there are none), as a set
 * of bits 1 << kind; at least one.
 */
unsigned link_kinds_of_rel(slice rel, slice as, slice type);

/* The kind of an embedded object by its media type (empty when there is none). */
enum link_kind link_kind_of_type(slice type);

/*
 * Which attribute of which element holds a link, how, and of which kind (HTML, "attributes" index;
 * SVG 2, section 16; and what pages did before and do beside the standards).
 */

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

enum {
	LINKS_MAX = 100000,         /* links of a document; more are left out */
	LINK_URL_MAX = 64 << 10,    /* bytes of a reference; longer ones are left out */
	LINKS_BYTES_MAX = 64 << 20, /* of all references together */
	LINKS_STYLE_MAX = 4 << 20,  /* bytes of a style element that are read */
	LINKS_SRCDOC_MAX = 4,       /* documents inside of documents, nested */
	LINKS_BASES_MAX = 1000,     /* of them with a base of their own */
};

struct link {
	slice ref; /* lives as long as the links */
	enum link_kind kind;
	bool is_feed;     /* an alternate that says it is one */
	uint32_t base;    /* number of its base: 0 the document's, n is bases.ptr[n - 1] */
	uint32_t text_at; /* where its text begins, if the text was read, too (page.h) */
};

/* Elements whose text holds links. */
enum links_element { LINKS_NO_TEXT, LINKS_STYLE, LINKS_SCRIPT, LINKS_MAP, LINKS_ADDRESS };

/* The base element of a document inside of the document. */
struct link_base {
	slice href;      /* lives as long as the links */
	uint32_t parent; /* number of the base that it is relative to */
};

VEC_DECLARE(link_vec, struct link);
VEC_DECLARE(link_base_vec, struct link_base);

struct links {
	struct link_vec list;
	slice base; /* href of the first base element that has one */
	bool has_base;
	struct link_base_vec bases; /* of documents inside */
	enum charset charset;       /* of the document: queries of its links are written in it */
	bool cut;                   /* something was left out for a limit */
	/* The rest is the gatherer's own. */
	struct arena arena;
	struct strmap seen; /* kind and reference */
	struct buf key;
	bool is_xml;       /* the caller's, before the first token: a document in XML */
	struct buf style;  /* text of the element that is gathered */
	uint8_t gathering; /* which that is: enum links_element */
	uint8_t text_kind; /* of an address in text: enum link_kind */
	bool in_picture;
	bool form_is_get;
	unsigned depth;       /* of documents inside */
	uint32_t base_number; /* of the one that is being read */
};

/* An empty gathering. */
void links_init(struct links *l);

/* Empty again; memory of usual size is kept for the next document. */
void links_reset(struct links *l);
void links_release(struct links *l);

/* Takes in a token of the document. */
void links_token(struct links *l, const struct html_token *token);

/* Says that the document has ended: a style element that is open is read. */
void links_finish(struct links *l);

/* Takes in a style sheet (UTF-8). */
void links_css(struct links *l, slice sheet);

/* Takes in a Link header's value. */
void links_header(struct links *l, slice value);

/* Takes in a Refresh header's value, or a meta element's. */
void links_refresh(struct links *l, slice value);

/* Takes in a script (UTF-8): what it imports, by literals. */
void links_script(struct links *l, slice script);

/* Takes in a document of JSON (UTF-8): a JSON Feed or a manifest; others give none. As above. */
void links_json(struct links *l, slice text);

/* Adds one reference, copied, unless it is one to be left out. */
void links_add(struct links *l, enum link_kind kind, slice ref);

#endif
