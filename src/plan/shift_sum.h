/*
 * What SHARC-selective asks again and again: with pages x = 0, 1, ... from hot to cold, m = rates
 * per interval step (2 delay rate), and h pages given up so far,
 *
 *	W(h, first) = sum over x >= first of  e^(-m_x (x-h-1)) - e^(-m_x (x-h)),
 *
 * the gain of all pages from x = first on when each moves in by one interval. Computed anew it
 * costs O(n); here it is kept while h and first move up, in O(log) per step.
 *
 * Moving h by d multiplies each term by e^(m_x d). Pages are sorted, so those whose m lies within a
 * factor of two are neighbours: a class. A class keeps the Taylor coefficients in d of its part of
 * the sum around an anchor, and is summed anew only when m d would leave the range of the series.
 *
 * The sum is good to about eleven digits however small it is: a gain of 1e-30 decides as well as
 * one of 1, because what is given up now for little makes room for much. So terms are left out only
 * where they are small beside the others, and a class from which most was taken away again is
 * summed anew before its rounding shows.
 */
#ifndef PLAN_SHIFT_SUM_H
#define PLAN_SHIFT_SUM_H

#include <stddef.h>

enum {
	SHIFT_TERMS = 30,    /* with m d <= 4 the rest of the series is below 1e-14 */
	SHIFT_CLASSES = 160, /* factors of two between the hottest and the coldest that count */
};

struct shift_class {
	size_t first, end; /* its pages; those before first have been passed */
	size_t summed;     /* coefficients are those of pages first to summed; 0: of none yet */
	size_t anchor;     /* the h they are for */
	double window;     /* largest d they are good for */
	double depth;      /* terms below e^-depth are left out */
	double peak;       /* the largest their sum has been */
	double coldest;    /* smallest m of the class */
	double unit;       /* -log(1 - e^-coldest) */
	double coefficient[SHIFT_TERMS]; /* of (d / window)^k / k! */
};

struct shift_sum {
	const double *m; /* borrowed, descending */
	size_t h;
	size_t count;
	struct shift_class classes[SHIFT_CLASSES];
};

/* Over m[first..n), with h = 0. */
void shift_sum_init(struct shift_sum *s, const double *m, size_t first, size_t n);

/* Moves on: pages before first no longer count, h < first pages are given up. Neither falls. */
void shift_sum_pass(struct shift_sum *s, size_t first);
void shift_sum_give_up(struct shift_sum *s, size_t h);

double shift_sum_value(struct shift_sum *s);

/* One term: what page x gains by moving in, with h pages given up. */
double shift_term(double m, size_t x, size_t h);

#endif
