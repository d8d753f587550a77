/*
 * What is known of one page's change rate, in 16 bytes: a Gamma distribution (struct rate_gamma),
 * which begins as the prior of its class and learns from each visit. Light and streaming; the exact
 * posterior of all visits is that of rate/posterior.h.
 *
 * An unchanged interval, and a change whose time is known, keep a Gamma distribution one. After a
 * changed interval the posterior is none; it is replaced by the Gamma distribution of the same mean
 * and variance, which closed formulas give. Intervals are cleaned by rate_length: no sequence of
 * calls leaves the bounds below, so everything stays finite.
 */
#ifndef RATE_GAMMA_PAGE_H
#define RATE_GAMMA_PAGE_H

#include "rate/estimate.h"
#include "rate/gamma_poisson.h"

#define RATE_SHAPE_MIN 1e-6
#define RATE_SHAPE_MAX 1e6
#define RATE_TIME_MIN  1e-18
#define RATE_TIME_MAX  1e21

/* The nearest Gamma distribution within the bounds; what is no number becomes the lower one. */
struct rate_gamma rate_gamma_clean(struct rate_gamma g);

/* An interval between two visits. The state must be clean; it stays so. */
void rate_gamma_observe(struct rate_gamma *g, struct rate_interval seen);

static inline double rate_gamma_mean(struct rate_gamma g)
{
	return g.shape / g.time;
}

/* The probability that nothing changes during the length: (1 + length / time)^(-shape). */
double rate_gamma_survival(struct rate_gamma g, double length);

/* The rate that is not exceeded with probability p, 0 < p < 1: two of them are a credible interval.
 */
double rate_gamma_quantile(struct rate_gamma g, double p);

#endif
