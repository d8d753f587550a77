/*
 * Mends XML before libxml2 sees it. libxml2 stops for good at a stray "<", at an element that is
 * closed once too often and at anything behind the root element, and it silently drops the "&b" of
 * an address such as "?a=1&b=2": all of these are common in generated sitemaps. What this filter
 * gives is always balanced and has no DTD, so that no entity can be declared (entities are off by
 * construction) and nothing makes the parser's memory grow.
 *
 * (1) Everything before the first element that can be a root (urlset, sitemapindex, rss, feed, RDF)
 *     is dropped, but for an XML declaration.
 * (2) Comments, processing instructions and DTDs are dropped.
 * (3) "&" that begins no character reference and none of the five predefined entities becomes
 *     "&amp;"; "<" that begins no markup becomes "&lt;"; control characters become blanks.
 * (4) An end tag closes all elements up to its own; without one it is dropped. The root's is given
 *     at the end of the input only, so that whatever follows it is read too.
 * (5) Elements deeper than SITEMAP_DEPTH_MAX are dropped; their text stays.
 * (6) At the end of the input the open elements are closed only if the root's end tag was there:
 *     what was cut off stays open.
 *
 * Only for encodings that contain ASCII.
 */
#ifndef FORMATS_SITEMAP_REPAIR_H
#define FORMATS_SITEMAP_REPAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

enum {
	SITEMAP_DEPTH_MAX = 64, /* real ones have 6; libxml2 stops at 256 */
	SITEMAP_NAME_MAX =
		64, /* bytes of an element's name; an element with a longer one is dropped */
	SITEMAP_HELD_MAX = 128, /* bytes of a reference or markup whose kind is not yet known */
};

enum repair_state {
	REPAIR_TEXT,
	REPAIR_REFERENCE,  /* behind "&" */
	REPAIR_MARKUP,     /* behind "<", as long as its kind is open */
	REPAIR_START_NAME, /* behind "<" and the first letter of a name */
	REPAIR_TAG,        /* in a start tag behind its name */
	REPAIR_DROPPED_TAG,
	REPAIR_END_TAG,
	REPAIR_CDATA,
	REPAIR_COMMENT,
	REPAIR_INSTRUCTION,
	REPAIR_DECLARATION, /* <!DOCTYPE, <!ANYTHING */
	REPAIR_XML_DECLARATION,
};

struct repair_name {
	unsigned char len;
	char text[SITEMAP_NAME_MAX];
};

/* Fields are the filter's own; to be read are the last two. */
struct sitemap_repair {
	enum repair_state state;
	enum repair_state outer; /* where REPAIR_REFERENCE goes back to: text or tag */
	char quote;              /* the one that is open in a tag, or 0 */
	char last, last_but_one; /* bytes before the present one, where ends are looked for */
	bool subset;             /* in the brackets of a DTD */
	bool begun;              /* something was given */
	size_t held_len;
	char held[SITEMAP_HELD_MAX];
	struct repair_name name; /* of the tag being read */
	size_t depth;
	struct repair_name open[SITEMAP_DEPTH_MAX];
	int rc; /* of the first failure */
	bool root_closed;
	uint64_t mended; /* places that were no XML */
};

void sitemap_repair_init(struct sitemap_repair *r);

/* Appends what the input becomes, at most five times as long and SITEMAP_DEPTH_MAX end tags. */
int sitemap_repair_feed(struct sitemap_repair *r, slice in, struct buf *out) SP_MUST_CHECK;

/* The same for the end of the input. */
int sitemap_repair_end(struct sitemap_repair *r, struct buf *out) SP_MUST_CHECK;

#endif
