/*
 * The best instant: the one that most proven intervals contain, found afterwards (DESIGN, "What is
 * known about the planning problem", 6). A sweep over their ends, O(n log n). Pure.
 *
 * Ties: of several stretches of time with as many pages, the one nearest to the planned still
 * point wins, then the longest, then the earliest.
 */
#ifndef QUALITY_BEST_INSTANT_H
#define QUALITY_BEST_INSTANT_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/vec.h"

/* An interval over which a page is proven; both ends belong to it. */
struct page_interval {
	uint32_t page;
	int64_t from, to; /* from ≤ to */
};

VEC_DECLARE(page_interval_vec, struct page_interval);

struct best_instant {
	int64_t from, to; /* every instant in between is as good; both belong to it */
	size_t proven;    /* pages */
};

/* When the still point was planned for; from > to: there was no plan. */
struct planned_instant {
	int64_t from, to;
};

/*
 * Sorts the list, and joins what overlaps of a page, so that each page counts once. 0, ERR_NOTFOUND
 * for an empty list, ERR_NOMEM.
 */
int best_instant_find(struct page_interval_vec *list, const struct planned_instant *planned,
	struct best_instant *ret_best) SP_MUST_CHECK;

#endif
