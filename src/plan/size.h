/* How many pages a site has: what online strategies must guess. */
#ifndef PLAN_SIZE_H
#define PLAN_SIZE_H

#include <stdint.h>

#include "plan/order.h"

/* What the guess is made of; kept by the run. */
struct size_guess {
	uint32_t given;   /* by the user, or 0 */
	double per_visit; /* pages found per visit, a moving average */
};

/* After a visit that found so many new pages. */
void size_guess_visit(struct size_guess *g, uint32_t found);

/* Pages in all, never less than known. waiting: found but not visited. */
uint32_t size_guess(const struct size_guess *g, uint32_t known, uint32_t waiting);

/*
 * Pages that are probably still to be found. A given size is believed less and less while visits
 * find nothing new: if the missing pages hung on a handful of pages anywhere among those waiting,
 * some would have turned up.
 */
double size_unknown(const struct plan_site *site, uint32_t waiting);

#endif
