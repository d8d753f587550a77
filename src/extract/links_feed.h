/*
 * Links of feeds and other lists in XML (RSS, Atom, RDF, OPML, sitemaps): addresses in the text of
 * elements, and in attributes that HTML does not have.
 */
#ifndef EXTRACT_LINKS_FEED_H
#define EXTRACT_LINKS_FEED_H

#include "extract/links.h"

/* A start tag of a document in XML: adds what its attributes name. 0 or ERR_NOMEM. */
int links_feed_start(struct links *l, const struct html_token *token) SP_MUST_CHECK;

/* Whether its text is an address, and of which kind. */
bool links_feed_holds(const struct html_token *token, enum link_kind *ret);

#endif
