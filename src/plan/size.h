/* How many pages a site has: what online strategies must guess. */
#ifndef PLAN_SIZE_H
#define PLAN_SIZE_H

#include <stdint.h>

struct plan_site;

/* What the guess is made of; kept by the run. */
struct size_guess {
	uint32_t given;   /* by the user, or 0 */
	uint32_t finders; /* visits that found something new */
	uint64_t found;   /* by them */
	double per_visit; /* pages found per visit, a moving average */
};

/* After a visit that found so many new pages. */
void size_guess_visit(struct size_guess *g, uint32_t found);

/* Pages in all, never less than known. waiting: found but not visited. */
uint32_t size_guess(const struct size_guess *g, uint32_t known, uint32_t waiting);

/*
 * Pages that are probably still to be found. They hang on some of the waiting pages, on as many as
 * the visits that found something tell; the longer visits find nothing, the less likely it is that
 * there are any.
 */
double size_unknown(const struct plan_site *site, uint32_t waiting);

/*
 * How far so many hidden pages are to be believed in after the quiet visits: from 1, when the last
 * visit found something, down to 0. missed: share of the pages on which hidden ones may hang that
 * the quiet visits have been to. odds: how much likelier it was from the beginning that they are
 * there than that they are not; 0: the quiet visits alone count.
 */
double size_belief(const struct plan_site *site, double missed, double unknown, double odds);

#endif
