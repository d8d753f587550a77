/*
 * What earlier captures of an archive knew of hosts' robots.txt: a copy that may be used while the
 * host cannot be reached, and since when it cannot (RFC 9309 §2.3.1.4, §2.4).
 */
#ifndef CRAWL_MEMORY_H
#define CRAWL_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"

/* Of all copies; what is beyond is not remembered. */
#define ROBOTS_MEMORY_BYTES ((size_t)64 << 20)

struct remembered {
	char *body; /* ptr NULL: there is no copy */
	size_t len;
	int64_t checked;     /* wall, ns: when it was last seen */
	int64_t unreachable; /* the same: since when it could not be; 0: it could */
};

VEC_DECLARE(remembered_vec, struct remembered);

/* Fields are its own. A zeroed struct remembers nothing. */
struct robots_memory {
	struct arena names;
	struct strmap by_origin;
	struct remembered_vec list;
	size_t bytes;
};

/* Reads what captures before this one knew. As the catalog's functions; release in either case. */
int robots_memory_load(struct robots_memory *m, struct catalog *catalog, uint32_t capture,
	struct err *err) SP_MUST_CHECK;
void robots_memory_release(struct robots_memory *m);

/* NULL when nothing is known. */
const struct remembered *robots_memory_find(const struct robots_memory *m, slice origin);

#endif
