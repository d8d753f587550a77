/*
 * The captures of an archive that have ended, by site, for those that capture a site again. Two are
 * of the same site if their seeds, their scope and their limits of pages and depth are the same.
 */
#ifndef CRAWL_EARLIER_INDEX_H
#define CRAWL_EARLIER_INDEX_H

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

/* Sets out to what makes the site of a capture, by its settings as text. 0, or as buf_add. */
int earlier_name_site(slice settings, struct buf *out) SP_MUST_CHECK;

#endif
