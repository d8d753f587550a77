/*
 * What earlier captures of an archive knew of hosts' robots.txt: a copy that may be used while the
 * host cannot be reached, and since when it cannot (RFC 9309 §2.3.1.4, §2.4).
 */
#ifndef CRAWL_ROBOTS_HISTORY_H
#define CRAWL_ROBOTS_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"

/* Bytes of all copies; more are not kept. */
#define ROBOTS_HISTORY_MAX ((size_t)64 << 20)

struct earlier_robots {
	char *body; /* NULL: there is no copy */
	size_t len;
	int64_t checked;     /* wall, ns: when it was last seen */
	int64_t unreachable; /* the same: since when it cannot be fetched; 0: it can */
};

VEC_DECLARE(earlier_robots_vec, struct earlier_robots);

/* Fields are its own. A zeroed struct is empty. */
struct robots_history {
	struct arena names;
	struct strmap by_origin;
	struct earlier_robots_vec list;
	size_t bytes;
};

/* Loads what captures before this one knew. As the catalog's functions; release in either case. */
int robots_history_load(struct robots_history *m, struct catalog *catalog, uint32_t capture,
	struct err *err) SP_MUST_CHECK;
void robots_history_release(struct robots_history *m);

/* NULL when nothing is known. */
const struct earlier_robots *robots_history_find(const struct robots_history *m, slice origin);

#endif
