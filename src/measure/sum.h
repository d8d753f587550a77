/*
 * Compensated summation (Neumaier 1974): the error of a sum does not grow with the number of
 * terms, so the blur of a million pages is as good as that of ten.
 */
#ifndef MEASURE_SUM_H
#define MEASURE_SUM_H

#include <math.h>

struct sum {
	double total;
	double lost; /* low-order bits that total could not hold */
};

static inline void sum_add(struct sum *s, double x)
{
	double total = s->total + x;

	/* Recover the rounding error from the larger operand, else it would be rounded as well. */
	if (fabs(s->total) >= fabs(x))
		s->lost += (s->total - total) + x;
	else
		s->lost += (x - total) + s->total;
	s->total = total;
}

static inline double sum_value(const struct sum *s)
{
	/* An infinite total makes `lost` a NaN, which would hide the infinity. */
	return isfinite(s->total) ? s->total + s->lost : s->total;
}

#endif
