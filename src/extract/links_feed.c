#include "extract/links_feed.h"

#include "base/word.h"
#include "extract/html_attr.h"

/*
 * Enclosures are as large as films, and no reader of a feed loads them unasked: they are followed
 * like other links, but are not part of the feed.
 */
static const struct {
	slice element, attr;
	enum link_kind kind;
} ATTRS[] = {
	{SLICE_INIT("enclosure"), SLICE_INIT("url"), LINK_OTHER},
	{SLICE_INIT("media:content"), SLICE_INIT("url"), LINK_OTHER},
	{SLICE_INIT("media:thumbnail"), SLICE_INIT("url"), LINK_IMAGE},
	{SLICE_INIT("media:player"), SLICE_INIT("url"), LINK_OTHER},
	{SLICE_INIT("itunes:image"), SLICE_INIT("href"), LINK_IMAGE},
	{SLICE_INIT("atom:link"), SLICE_INIT("href"), LINK_ALTERNATE},
	{SLICE_INIT("content"), SLICE_INIT("src"), LINK_OTHER},
	{SLICE_INIT("outline"), SLICE_INIT("xmlurl"), LINK_ALTERNATE},
	{SLICE_INIT("outline"), SLICE_INIT("htmlurl"), LINK_PAGE},
	{SLICE_INIT("item"), SLICE_INIT("rdf:about"), LINK_PAGE},
	{SLICE_INIT("rdf:li"), SLICE_INIT("rdf:resource"), LINK_PAGE},
	{SLICE_INIT("image"), SLICE_INIT("rdf:resource"), LINK_IMAGE},
};

static const struct {
	slice element;
	enum link_kind kind;
} TEXTS[] = {
	{SLICE_INIT("link"), LINK_PAGE},
	{SLICE_INIT("guid"), LINK_PAGE},
	{SLICE_INIT("comments"), LINK_PAGE},
	{SLICE_INIT("loc"), LINK_PAGE},
	{SLICE_INIT("image:loc"), LINK_IMAGE},
	{SLICE_INIT("url"), LINK_IMAGE}, /* of an image */
	{SLICE_INIT("logo"), LINK_IMAGE},
	{SLICE_INIT("icon"), LINK_IMAGE},
	{SLICE_INIT("wfw:commentrss"), LINK_ALTERNATE},
};

int links_feed_start(struct links *l, const struct html_token *token)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof ATTRS / sizeof *ATTRS; i++)
		if (slice_eq(token->name, ATTRS[i].element))
			rc = links_add(l, ATTRS[i].kind, html_attr_value(token, ATTRS[i].attr));
	return rc;
}

/* A guid is an address unless it says otherwise. */
bool links_feed_holds(const struct html_token *token, enum link_kind *ret)
{
	if (word_is(html_attr_value(token, SLICE("ispermalink")), SLICE("false")) ||
		token->self_closing)
		return false;
	for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++)
		if (slice_eq(token->name, TEXTS[i].element)) {
			*ret = TEXTS[i].kind;
			return true;
		}
	return false;
}
