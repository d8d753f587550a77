/*
 * Without a size from the user, or when there are more pages than that, sites are taken to go on as
 * they are: each waiting page will yield what visits have yielded lately, and half of that again is
 * lost to links that meet. The guess is kept within GROWTH_MAX times what is known, since early
 * pages (a home page, a site map) say little about the rest.
 *
 * Either way the pages that are missing must hang on some of those waiting: on `hubs` of them, if
 * hubs find as many as finders did so far. Had so many been among the waiting pages, the last
 * `quiet` visits would all have missed them with probability e^(-hubs * share that was visited).
 * Against that stands the other explanation, that there are no more pages, of which we are sure
 * from the beginning by one in ODDS + 1.
 */
#include "plan/size.h"

#include <math.h>

#include "plan/order.h"

static const double MEMORY = 1.0 / 32; /* weight of the last visit in the moving average */
static const double GROWTH_MAX = 4;
static const double ODDS = 9;
/* Pages behind a hub, before any was seen. */
static const double HUB = 16;

void size_guess_visit(struct size_guess *g, uint32_t found)
{
	g->per_visit += MEMORY * ((double)found - g->per_visit);
	g->finders += found > 0;
	g->found += found;
}

static uint32_t if_it_goes_on(const struct size_guess *g, uint32_t known, uint32_t waiting)
{
	double size = (double)known + (double)waiting * g->per_visit / 2;

	if (size > GROWTH_MAX * (double)known)
		size = GROWTH_MAX * (double)known;
	return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

uint32_t size_guess(const struct size_guess *g, uint32_t known, uint32_t waiting)
{
	if (g->given)
		return g->given > known ? g->given : known;
	return if_it_goes_on(g, known, waiting);
}

double size_belief(const struct plan_site *site, double missed, double unknown, double odds)
{
	const struct size_guess *g = &site->growth;
	double per_hub = ((double)g->found + HUB) / ((double)g->finders + 1);
	double all_missed = exp(-unknown / per_hub * missed);

	return all_missed * (odds + 1) / (all_missed * odds + 1);
}

double size_unknown(const struct plan_site *site, uint32_t waiting)
{
	const struct size_guess *g = &site->growth;
	double quiet = (double)site->quiet, missed = quiet / (quiet + (double)waiting + 1);
	double unknown;

	if (g->given >= site->known)
		unknown = (double)(g->given - site->known);
	else
		unknown = (double)(if_it_goes_on(g, site->known, waiting) - site->known);
	return unknown * size_belief(site, missed, unknown, ODDS);
}
