/*
 * The true posterior of a page's change rate: a Gamma prior, and intervals of which is known only
 * whether they saw a change. Its density is proportional to
 *
 *	x^(a-1) e^(-(b + Tu) x) * product over changed intervals of (1 - e^(-x t))
 *
 * which has no closed form (without a changed interval it is a Gamma density). Quadrature gives its
 * moments to about ten digits. O(intervals) for each of some hundred nodes; no allocation. A change
 * whose time is known (rate_interval.exact) counts in a and b: the update is exact.
 */
#ifndef PLAN_POSTERIOR_H
#define PLAN_POSTERIOR_H

#include <stddef.h>

#include "plan/gamma_poisson.h"
#include "plan/rate_estimate.h"

enum { RATE_NODES_MAX = 4096 };

/* 64 KiB. */
struct rate_posterior {
	struct rate_gamma gamma; /* all of it, where there are no nodes */
	size_t count;
	double rates[RATE_NODES_MAX];   /* nodes, ascending */
	double weights[RATE_NODES_MAX]; /* probabilities; their sum is 1 */
};

/* Any input will do: the prior is cleaned (plan/gamma_poisson.h), useless intervals are ignored. */
void rate_posterior_init(struct rate_posterior *p, struct rate_gamma prior,
	const struct rate_interval *intervals, size_t count);

double rate_posterior_mean(const struct rate_posterior *p);

/* The rate that is not exceeded with probability share, 0 < share < 1. */
double rate_posterior_quantile(const struct rate_posterior *p, double share);

/* The probability of a change within the horizon. */
double rate_posterior_within(const struct rate_posterior *p, double horizon);

/* The Gamma distribution with the same mean and variance, for the planner. */
struct rate_gamma rate_posterior_gamma(const struct rate_posterior *p);

#endif
