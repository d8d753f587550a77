/* What earlier captures of a site know. */
#ifndef CRAWL_EARLIER_H
#define CRAWL_EARLIER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/lists.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"

/* ---- which captures are of the same site ---- */

/*
 * The captures of an archive that have ended, by site, for those that capture a site again. Two are
 * of the same site if their seeds, their scope and their limits of pages and depth are the same.
 */

/* Bytes of what makes the sites of an archive. */
#define EARLIER_NAMES_MAX ((size_t)1 << 30)

struct earlier_capture {
	uint32_t id;
	uint32_t before;           /* the one before it: its place in the list plus 1, or 0 */
	int64_t started, finished; /* wall, ns */
	bool is_cut;               /* by a limit */
};

VEC_DECLARE(earlier_captures, struct earlier_capture);

/* Zeroed it is empty. */
struct earlier_index {
	struct arena names;
	struct strmap sites;          /* by what makes a site: places in last */
	struct u32_vec last;          /* their last captures: places in the list plus 1 */
	struct earlier_captures list; /* by number */
};

/* As the catalog's functions; release in either case. */
int earlier_index_load(
	struct earlier_index *x, struct catalog *catalog, struct err *err) SP_MUST_CHECK;
void earlier_index_release(struct earlier_index *x);

/* ---- what they know ---- */

/*
 * What an earlier capture of the same site knows (docs/planning.md, "Second captures"): how many
 * pages there are, and which. Chosen is the last one that no limit cut, or else the last one; those
 * to which no page answered do not count.
 *
 * Its pages are discovered as if their links had been found again, with "capture 3: link" for how:
 * scope, depth, robots.txt and all other rules decide about them. Those that are refused are not
 * even recorded: if a link still leads to them, it will. Budgets of traps count them, but do not
 * refuse what they allowed before. A page without links is told once, so that their number does
 * not grow from capture to capture.
 */

struct capture;

VEC_DECLARE(earlier_looks, unsigned char);

/* Fields are earlier.c's own. Zeroed: there is none. */
struct earlier {
	uint32_t capture; /* its number; 0: there is none */
	bool tells_pages;
	struct earlier_looks looks;  /* by page */
	struct earlier_looks seen;   /* by page of this capture: 1 if a look at it is known */
	unsigned moves, moves_heard; /* seeds that led elsewhere, and when that was last heard */
};

void earlier_release(struct earlier *e);

/*
 * Chooses the capture and tells the planner its size, unless the settings say that. Before the
 * planner gets its first page.
 */
int earlier_choose(struct capture *c, const struct earlier_index *x, struct catalog *catalog,
	struct err *err) SP_MUST_CHECK;

/* Discovers its pages, as far as that is wanted and they are in the scope by now. */
int earlier_discover(struct capture *c, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

/* Resume: all pages are known; the planner learns again which belong together. */
int earlier_restore(struct capture *c, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

/* Whether pages_earlier has a look at the page. */
bool earlier_has_look(const struct capture *c, uint32_t page);

/* A seed led elsewhere, which is in the scope now: more pages may be. */
int earlier_seed_moved(struct capture *c, struct err *err) SP_MUST_CHECK;

#endif
