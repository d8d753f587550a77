/*
 * What a link is for: the kinds that `stillpoint inspect links` names (a contract), and what a rel
 * means (HTML 4.6.7 and the microformats' list of existing values).
 */
#ifndef FORMATS_LINK_KIND_H
#define FORMATS_LINK_KIND_H

#include "base/slice.h"

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

/* Whether an alternate of this type (empty when there is none) is a feed: RSS, Atom, JSON Feed. */
bool link_type_is_feed(slice type);

/* The kind of an embedded object by its media type (empty when there is none). */
enum link_kind link_kind_of_type(slice type);

#endif
