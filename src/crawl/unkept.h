/*
 * Links that were left out and have no page: a page may link to any number of other sites, and what
 * is known of a URL takes memory. They are only counted, each time they are found.
 */
#ifndef CRAWL_UNKEPT_H
#define CRAWL_UNKEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog/left_out.h"

/* A zeroed struct has counted nothing. Fields may be read. */
struct unkept {
	size_t outside;                 /* URLs outside the scope that are kept as pages */
	uint64_t links[LEFT_OUT_COUNT]; /* not kept, by reason */
	bool changed; /* links, since the catalog got them; the caller's to clear */
};

void unkept_add(struct unkept *u, enum left_out reason, uint64_t links);

/* A URL outside the scope was found: true if it is kept; else it is counted. */
bool unkept_keeps_outside(struct unkept *u, size_t max_outside);

#endif
