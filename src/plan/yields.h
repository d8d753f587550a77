/*
 * What visits lead to: how many new pages a visit found, by the depth of the page (clicks from a
 * seed) and by its heat. Some sites list what is new on pages that change all the time, some on
 * those near the home page; both are learned in the capture.
 */
#ifndef PLAN_YIELDS_H
#define PLAN_YIELDS_H

#include <stdint.h>

#include "plan/order.h"

enum {
	YIELD_DEPTHS = 4, /* seeds, their links, the links of these, and all below */
	YIELD_HEATS = 32, /* octaves of the rate */
};

/* Visits and what they found. */
struct yield {
	double visits, found;
};

/* Zeroed: no visit yet. */
struct yields {
	struct yield of[YIELD_DEPTHS][YIELD_HEATS];
};

static inline unsigned yield_depth_below(unsigned depth)
{
	return depth + 1 < YIELD_DEPTHS ? depth + 1 : YIELD_DEPTHS - 1;
}

unsigned yield_heat(double rate);

/* A visit to a page of that depth and rate found so many pages. */
void yields_visit(struct yields *y, unsigned depth, double rate, uint32_t found);

/* Pages that a visit is expected to find, by depth and heat. */
void yields_expect(const struct yields *y, double expected[YIELD_DEPTHS][YIELD_HEATS]);

/* Pages that are probably still to be found behind those waiting, with what these lead to in turn.
 */
double yields_hidden(
	const struct yields *y, const uint32_t waiting[YIELD_DEPTHS], const struct plan_site *site);

#endif
