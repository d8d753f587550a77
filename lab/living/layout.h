/*
 * Which pages a host has, how they are called and which page links to which. Pages are numbers
 * from 0, the page to start from, to n - 1.
 *
 * A tree needs no memory: the root has sections /s1/, /s2/, …; in each, page /s1/R has as children
 * the next `outdegree` ranks that nobody has yet, section after section by turns. So every page's
 * name, parent and children follow from its number. A shop has /prices and /terms besides.
 *
 * A graph or a history names its pages; a page that is a *listing* (a directory of a history)
 * shows only those of its links that are there at the moment.
 */
#ifndef LIVING_LAYOUT_H
#define LIVING_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/slice.h"
#include "living/params.h"

/* Read-only when it is built, and so for any thread. */
struct layout {
	size_t n;
	size_t outdegree;
	enum living_theme theme;
	size_t tree; /* pages of the tree: n, or n - 2 of a shop */

	/* Of a graph or a history; else paths is NULL. */
	slice *paths;      /* as they stand in a request */
	size_t *link_from; /* links of page i: links[link_from[i]] up to link_from[i + 1] */
	uint32_t *links;
	bool *listing; /* NULL: no page is one */
	struct strmap by_path;
	struct arena text;
};

/* A tree of n > 0 pages (a shop: at least 3). Cannot fail. */
void layout_tree(struct layout *l, size_t n, size_t outdegree, enum living_theme theme);

/*
 * A graph from a CSV file; *ret_rates, when not NULL, gets its rates, which the caller frees.
 * Without any links the pages become a tree in their order. Errors as from site_load, and
 * ERR_EXISTS where two names make the same path.
 */
int layout_graph(struct layout *l, const char *file, size_t outdegree, double **ret_rates,
	struct err *err) SP_MUST_CHECK;

/*
 * Appends a path to text as it stands in a URL, with a slash before it. The name of a page may
 * have a query and escapes already; in the name of a file "?" and "%" are letters like others.
 * 0, ERR_NOMEM or ERR_LIMIT.
 */
int layout_escape_name(struct buf *text, slice name) SP_MUST_CHECK;
int layout_escape_file(struct buf *text, slice name) SP_MUST_CHECK;

/* Paths that are no pages: robots.txt and the sitemap. */
bool layout_is_reserved(slice path);

/* For who builds one: allocates all but links for n named pages. 0 or ERR_NOMEM. */
int layout_alloc(struct layout *l, size_t n) SP_MUST_CHECK;

/* Gives page i its name, copied. 0, ERR_EXISTS, ERR_LIMIT or ERR_NOMEM. */
int layout_name(struct layout *l, uint32_t page, slice path) SP_MUST_CHECK;

/* Safe on a zeroed struct. */
void layout_release(struct layout *l);

/* Appends the page's path. 0, ERR_NOMEM or ERR_LIMIT. */
int layout_path(const struct layout *l, uint32_t page, struct buf *text) SP_MUST_CHECK;

/* The page of that path (of the target with its query, where a name has one). */
bool layout_find(const struct layout *l, slice target, uint32_t *ret_page);

/* Appends the pages that a page links to. 0 or ERR_NOMEM. */
int layout_links(const struct layout *l, uint32_t page, struct u32_vec *list) SP_MUST_CHECK;

/*
 * Groups of pages, for sitemaps: the sections of a tree, ranges of other pages. A group is the
 * pages first, first + step, … count of them, at most LIVING_SITEMAP_MAX.
 */
struct layout_group {
	uint32_t first;
	uint32_t step;
	size_t count;
};

size_t layout_group_count(const struct layout *l);
struct layout_group layout_group(const struct layout *l, size_t index);

#endif
