/*
 * Knots: the few intervals at which prices are looked at when there are many. The shortest are all
 * knots, because prices bend most there; the further ones are spaced geometrically.
 */
#ifndef PLAN_ASSIGN_KNOTS_H
#define PLAN_ASSIGN_KNOTS_H

#include <stddef.h>

struct assign_spacing {
	size_t dense; /* that many are all knots */
	size_t ratio; /* from there on the next knot is further by 1/ratio */
};

/* The knot after j; n when j was the last, which is always n - 1. */
static inline size_t assign_next_knot(struct assign_spacing s, size_t n, size_t j)
{
	size_t next = j < s.dense ? j + 1 : j + j / s.ratio + 1;

	if (j + 1 >= n)
		return n;
	return next < n ? next : n - 1;
}

static inline size_t assign_knot_count(struct assign_spacing s, size_t n)
{
	size_t count = 0;

	for (size_t j = 0; j < n; j = assign_next_knot(s, n, j))
		count++;
	return count;
}

#endif
