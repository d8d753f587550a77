/* e^(-x) for x >= 0, without the slow walk through denormal numbers. */
#ifndef PLAN_DECAY_H
#define PLAN_DECAY_H

#include <math.h>

static inline double decay(double x)
{
	return x < 700 ? exp(-x) : 0;
}

#endif
