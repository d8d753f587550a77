/*
 * What the elements of sitemaps and feeds mean: the sitemap protocol 0.9, RSS 0.9x, 1.0 and 2.0,
 * Atom 0.3 and 1.0 (RFC 4287).
 */
#ifndef EXTRACT_FEED_H
#define EXTRACT_FEED_H

#include <stdbool.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"
#include "extract/sitemap_xml.h"

enum feed_role {
	FEED_OTHER,
	FEED_RECORD, /* url, sitemap, item, entry */
	FEED_FIELD,
};

struct feed_meaning {
	enum feed_role role;
	bool is_sitemap; /* of a record */
	enum sitemap_field field;
	int rank;          /* of a field: the larger replaces the smaller, the first its equals */
	bool in_attribute; /* the value is in "href" */
};

/* An element as libxml2's SAX2 interface reports it; borrowed. */
struct feed_element {
	slice name; /* local */
	slice prefix;
	slice uri; /* of its namespace; ptr is NULL for none, as in prefix */
	const unsigned char **attributes;
	int attribute_count;
};

/* The format whose root element this is; *ret_index tells a sitemapindex. */
enum sitemap_format feed_root(slice name, bool *ret_index);

/* Whether the namespace is one of those that core elements have in some format. */
bool feed_is_core_namespace(slice uri);

/* What an element in a core namespace means. */
struct feed_meaning feed_meaning(enum sitemap_format format, const struct feed_element *e);

/* The raw value of an attribute, {NULL, 0} when missing; prefix "" for none. */
slice feed_attribute(const struct feed_element *e, const char *prefix, const char *name);

/*
 * Appends an attribute's value as text: SAX2 gives "&" as "&#38;" as long as entities are off.
 * As buf_add.
 */
int feed_add_value(struct buf *out, slice raw) SP_MUST_CHECK;

#endif
