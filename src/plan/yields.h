/*
 * What visits lead to: how many new pages a visit found, by the depth of the page (clicks from a
 * seed) and by its heat. Some sites list what is new on pages that change all the time, some on
 * those near the home page, some anywhere; which it is is learned in the capture.
 */
#ifndef PLAN_YIELDS_H
#define PLAN_YIELDS_H

#include <stdint.h>

#include "plan/order.h"

enum {
	YIELD_DEPTHS = 4, /* seeds, their links, the links of these, and all below */
	YIELD_HEATS = 32, /* octaves of the rate */
	YIELD_MODELS = 3, /* what tells pages that lead on from others */
};

/* Visits, those that found something, and what they found. */
struct yield {
	double visits, finders, found;
};

/* Zeroed: no visit yet. */
struct yields {
	struct yield of[YIELD_DEPTHS][YIELD_HEATS];
	uint32_t quiet[YIELD_DEPTHS][YIELD_HEATS]; /* visits since the last that found something */
	double score[YIELD_MODELS]; /* how well each foretold the visits: logarithm of the odds */
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

/* The pages that wait. */
struct yields_waiting {
	uint32_t by_depth[YIELD_DEPTHS];
	double leads; /* pages that visits to all of them are expected to find */
	double quiet; /* and that the quiet visits should have found */
};

/* Pages behind those waiting, with what these lead to in turn. */
struct yields_hidden {
	double told;  /* if the size told is right; without one what the visits tell */
	double sure;  /* if it is too large: those that it makes nearly certain even so */
	double right; /* how far it is believed in; 1 where that makes no difference */
	double mean;  /* of told and sure, by that belief */
};

struct yields_hidden yields_hidden(
	const struct yields *y, const struct yields_waiting *waiting, const struct plan_site *site);

#endif
