/*
 * Views: URLs that show a document of the site in another way, or what a program has to say about
 * it: the form to edit it, its history, an old revision, a difference, its source, its print
 * version. A wiki has a hundred of them for each document. Pure; by one table of named patterns
 * over URLs of known applications, and a few for all others.
 *
 * What a URL shows can often be told only beside others: /page?action=history is a view if /page is
 * a page of the site. So the caller says which URLs are known. In doubt a URL is a document.
 */
#ifndef FORMATS_VIEW_LINKS_H
#define FORMATS_VIEW_LINKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "formats/url.h"

enum { VIEW_URL_MAX = 1024 }; /* bytes; longer URLs are no views */

#define VIEW_NONE SIZE_MAX

/* Whether the site has a page of that URL. */
typedef bool view_is_known(void *context, slice url);

/*
 * The number of the pattern by which the URL is a view, or VIEW_NONE: a document. on_view: the link
 * to it stands on a view, or on a page of the kind that is a document only where a list has it (a
 * commit in a log, but not its parent).
 */
size_t view_of_link(const struct url *url, bool on_view, view_is_known *known, void *context);

/* How many patterns there are, and the name of one: "mediawiki: history". Constant. */
size_t view_count(void);
const char *view_name(size_t view);

/*
 * Whether such a view lists documents of the site, some of which nothing else may link to. All
 * URLs of views with that name and the same part show the same list.
 */
bool view_is_listing(size_t view, const struct url *url, slice *ret_part);

#endif
