/*
 * Knots: the few intervals at which prices are looked at when there are many. The shortest are all
 * knots, because prices bend most there; the further ones are spaced geometrically.
 */
#ifndef PLAN_ASSIGN_KNOTS_H
#define PLAN_ASSIGN_KNOTS_H

#include <stddef.h>

/* The knot after j; n when j was the last, which is always n - 1. */
static inline size_t assign_next_knot(size_t n, size_t dense, size_t j)
{
	size_t next = j < dense ? j + 1 : j + j / 256 + 1;

	if (j + 1 >= n)
		return n;
	return next < n ? next : n - 1;
}

static inline size_t assign_knot_count(size_t n, size_t dense)
{
	size_t count = 0;

	for (size_t j = 0; j < n; j = assign_next_knot(n, dense, j))
		count++;
	return count;
}

#endif
