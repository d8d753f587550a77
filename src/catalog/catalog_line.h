/*
 * Rows of the catalog as lines of text: the page table that a capture writes into its WARC files,
 * so that the catalog can be made anew from them (docs/archive.md, "The page table"). A line is a
 * row (catalog_row) of one of the kinds below, a colon, and fields, each behind a tab; so a record
 * of such lines has the form of application/warc-fields, and indexes leave it out:
 *
 *	page	number url kind via found depth hops taken left-out rule rate shape weight lastmod
 *	take	the same: a page that was refused is wanted after all
 *	refuse	number left-out rule
 *	admit	number rule
 *	mark	number content
 *	unkept	left-out links
 *	plan	page visit revisit hopeless
 *	needs	page requisite
 *	list	number lastmod changefreq
 *	links	page targets (plan/rank_graph.h)
 *	robots	origin policy fetched why body
 *	checked	origin time
 *	poll	number url is-feed source polls not-modified checked lies announced-changed
 *		announced-same silent-changed
 *
 * A dash stands for no page, flags are 0 or 1, times are ns since 1970. In texts, control
 * characters and "%" are written as "%" and two hexadecimal digits, in bodies also all that is not
 * ASCII. A row counts for more than those before it, as in the catalog.
 */
#ifndef CATALOG_CATALOG_LINE_H
#define CATALOG_CATALOG_LINE_H

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/slice.h"
#include "catalog/catalog.h"

/* Of the records that hold such lines: WARC-Target-URI, the first line, and whose lines follow. */
#define CATALOG_TABLE_TARGET "urn:x-stillpoint:pages"
#define CATALOG_TABLE_HEAD   "stillpoint-pages: 1\r\n"
#define CATALOG_TABLE_OF     "pages-of: "

/* Whether rows of this kind have lines. */
bool catalog_line_has(enum catalog_row_kind kind);

/* Appends the line of a row, with its end, CR LF: 0, or as buf_add; out is as before then. */
int catalog_line_format(const struct catalog_row *row, struct buf *out) SP_MUST_CHECK;

/* A row that was read, with its body. */
struct catalog_line {
	enum catalog_row_kind kind;
	union {
		struct catalog_page page;
		struct catalog_unkept unkept;
		struct catalog_plan plan;
		struct catalog_requisite requisite;
		struct catalog_links links;
		struct catalog_robots robots;
		struct catalog_poll poll;
	};
};

/*
 * Reads a line without its end; texts are copied into the arena. 0, ERR_SYNTAX, ERR_NOTFOUND for a
 * kind that is not known (of a later version: to be passed over), ERR_NOMEM.
 */
int catalog_line_parse(slice line, struct arena *arena, struct catalog_line *ret) SP_MUST_CHECK;

#endif
