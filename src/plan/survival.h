/*
 * Survival functions: the probability that a page does not change during an interval.
 *
 * Two families, one parameterisation by the mean rate:
 *   Poisson        S(L) = e^(-rate L)                       (shape == 0; SHARC section 2)
 *   Gamma-Poisson  S(L) = (1 + rate L / shape)^(-shape)     (the rate itself is uncertain: its
 *                  distribution is Gamma with that shape and mean, so b = shape / rate)
 * Both are decreasing and convex in L and in the rate, and both are closed under waiting: given
 * that a page survived a, the rest of its life has a survival function of the same family.
 */
#ifndef PLAN_SURVIVAL_H
#define PLAN_SURVIVAL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct survival {
	double rate;  /* mean changes per unit of time, finite, >= 0 */
	double shape; /* 0: Poisson; > 0: Gamma-Poisson */
};

static inline struct survival survival_poisson(double rate)
{
	return (struct survival){.rate = rate};
}

/* (1 + L/b)^(-a), for a, b > 0. */
static inline struct survival survival_gamma(double a, double b)
{
	return (struct survival){.rate = a / b, .shape = a};
}

bool survival_valid(struct survival s);

/* The probability that nothing changes during length (>= 0). */
double survival_at(struct survival s, double length);

/* The same for n lengths, first and each step longer than the one before. Cheaper than one by one:
 * the lives of a Poisson page form a geometric series. */
void survival_series(struct survival s, double first, double step, double *ret, size_t n);

/*
 * How much is lost per unit of rate: -dS/d(rate) at that length. Two neighbours in heat are best
 * placed so that the hotter one sits where this is smaller (docs/planning.md).
 */
double survival_sensitivity(struct survival s, double length);

/*
 * Splits a life that is observed from a on: S(a + L) = *ret_factor * rest(L).
 * This is what turns the planning of revisits into the same problem as the planning of visits.
 */
struct survival survival_after(struct survival s, double a, double *ret_factor);

/*
 * The longest length with S(length) >= tau, 0 < tau <= 1 (SOLAR eq. 1); infinite for a page that
 * never changes.
 */
double survival_confidence(struct survival s, double tau);

/* e^(-x) for x >= 0, without the slow walk through denormal numbers. */

static inline double decay(double x)
{
	return x < 700 ? exp(-x) : 0;
}

#endif
