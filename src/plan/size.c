/*
 * Without a size from the user, sites are taken to go on as they are: each waiting page will yield
 * what visits have yielded lately, and half of that again is lost to links that meet. The guess is
 * kept within GROWTH_MAX times what is known, since early pages (a home page, a site map) say
 * little about the rest.
 */
#include "plan/size.h"

#include <math.h>

static const double MEMORY = 1.0 / 32; /* weight of the last visit in the moving average */
static const double GROWTH_MAX = 4;
/* How fast a given size is disbelieved: by e when this share of the waiting pages found nothing. */
static const double DISBELIEF = 128;

void size_guess_visit(struct size_guess *g, uint32_t found)
{
	g->per_visit += MEMORY * ((double)found - g->per_visit);
}

uint32_t size_guess(const struct size_guess *g, uint32_t known, uint32_t waiting)
{
	double size = (double)known + (double)waiting * g->per_visit / 2;

	if (g->given)
		return g->given > known ? g->given : known;
	if (size > GROWTH_MAX * (double)known)
		size = GROWTH_MAX * (double)known;
	return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

double size_unknown(const struct plan_site *site, uint32_t waiting)
{
	double unknown = (double)(site->size - site->known);
	double silent = (double)site->quiet / ((double)site->quiet + (double)waiting + 1);

	return unknown * exp(-DISBELIEF * silent);
}
