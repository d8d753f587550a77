/*
 * Which page of a recorded history links to which, so that a crawl can find pages as a real one
 * does. The links are those of one moment, taken to hold at all times: between the pages that are
 * there.
 *
 * A crawl begins at "index.html", or where there is none, at the oldest page. What cannot be
 * reached from it by links is known from the start, as if a sitemap had it.
 */
#ifndef HISTORIES_HISTORY_LINKS_H
#define HISTORIES_HISTORY_LINKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "histories/draw.h"
#include "histories/history.h"
#include "plan/rank_graph.h"

#define HISTORY_ROOT "index.html"

/* By page of the history: to[from[i]] up to from[i + 1]. Read-only after loading. */
struct history_links {
	size_t *from;
	uint32_t *to;
};

/*
 * Reads a file (histories/history_file.h). Links from or to paths that the history never had are
 * left out. On failure ret_links is untouched and err holds one sentence with file and line: as for
 * history_load, or ERR_NOTFOUND when no link is left. Free with history_links_release.
 */
int history_links_load(const char *file, const struct history *history,
	struct history_links *ret_links, struct err *err) SP_MUST_CHECK;

/* Safe on a zeroed struct. */
void history_links_release(struct history_links *l);

/* Gives a draw that has its pages their links, and what a crawl knows at its start. 0 or ERR_NOMEM.
 */
int history_links_connect(const struct history_links *links, struct draw *draw) SP_MUST_CHECK;

/*
 * The links between pages of all times that can be reached from the root. Pages are numbered anew
 * in the order of a breadth-first search, the root 0; *ret_n says how many there are. 0 or
 * ERR_NOMEM; the edges are the caller's to release in either case.
 */
int history_links_reachable(const struct history_links *links, const struct history *history,
	struct rank_edges *edges, size_t *ret_n) SP_MUST_CHECK;

#endif
