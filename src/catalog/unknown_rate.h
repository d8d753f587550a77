/*
 * What captures assume of a page of which nothing is known: half a change in 15 days, by a Gamma
 * distribution so wide that it says next to nothing. Reports tell such pages from those whose rate
 * was learned or given.
 */
#ifndef CATALOG_UNKNOWN_RATE_H
#define CATALOG_UNKNOWN_RATE_H

#include <math.h>
#include <stdbool.h>

#define UNKNOWN_RATE_SHAPE 0.5
#define UNKNOWN_RATE_DAYS  15.0

/* Of changes per second, as the catalog has them. */
static inline bool unknown_rate_is(double rate, double shape)
{
	double unknown = UNKNOWN_RATE_SHAPE / (UNKNOWN_RATE_DAYS * 86400);

	return fabs(shape - UNKNOWN_RATE_SHAPE) < 1e-6 && fabs(rate - unknown) < 1e-6 * unknown;
}

#endif
