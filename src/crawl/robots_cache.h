/*
 * The parsed robots.txt of all hosts of a lane. There may be very many, of up to 1 MiB each. So
 * only those used last are in memory, ROBOTS_CACHE_MAX bytes of them; all are in the lane's file
 * (base/spill.h), in a form that is read back without parsing. Hosts with equal files share one.
 * None is dropped while a host uses it.
 */
#ifndef CRAWL_ROBOTS_CACHE_H
#define CRAWL_ROBOTS_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/spill.h"
#include "base/vec.h"
#include "extract/robots.h"

enum { ROBOTS_CACHE_MAX = 16 << 20 }; /* bytes in memory, and the one that was used last */

struct robots_version; /* opaque: one file, for all hosts that have it */

VEC_DECLARE(robots_buckets, struct robots_version *);

/* Fields are its own. For one thread at a time. */
struct robots_cache {
	struct spill_pool *pool;
	slice agent;
	size_t max;
	struct hash_key keys[2];
	struct robots_buckets buckets; /* by hash; a power of two, or none */
	size_t count;
	struct robots_version *first, *last; /* of those in memory: used last, and longest ago */
	size_t bytes;                        /* of them */
};

/* Empty. The pool, and agent, the product token to read the files for, are borrowed. */
void robots_cache_init(struct robots_cache *c, struct spill_pool *pool, slice agent, size_t max);

/* All versions have been dropped. Safe on a zeroed struct. */
void robots_cache_release(struct robots_cache *c);

/* Parses a robots.txt for one more host. 0, ERR_NOMEM, ERR_LIMIT, ERR_IO. */
int robots_cache_add(struct robots_cache *c, slice body, struct robots_version **ret,
	struct err *err) SP_MUST_CHECK;

/* Its rules, valid until the cache is next called. 0, ERR_NOMEM, ERR_IO. */
int robots_cache_get(struct robots_cache *c, struct robots_version *v, const struct robots **ret,
	struct err *err) SP_MUST_CHECK;

/* A host no longer uses it; NULL is fine. */
void robots_cache_drop(struct robots_cache *c, struct robots_version *v);

#endif
