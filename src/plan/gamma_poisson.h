/*
 * Change rates from counts: pages change as Poisson processes whose rates are drawn, page by page,
 * from one Gamma distribution of the whole site. Its two numbers are fitted to all pages (empirical
 * Bayes); a page's own count then pulls its rate away from what is usual, the more the longer it
 * was watched. So a page that never changed gets a small rate and not 0.
 *
 * A Gamma distribution has density proportional to x^(shape-1) e^(-time x), mean shape / time. What
 * it predicts is survival_gamma(shape, time) of plan/survival.h.
 */
#ifndef PLAN_GAMMA_POISSON_H
#define PLAN_GAMMA_POISSON_H

#include <stddef.h>
#include <stdint.h>

#include "plan/rate_estimate.h"

/* What is known about a page: so many changes while it was watched for so long (>= 0). */
struct rate_count {
	uint64_t changes;
	double time;
};

struct rate_gamma {
	double shape; /* > 0 */
	double time;  /* > 0, in the unit of the counts */
};

/*
 * The prior that makes the counts likeliest (negative binomial), its shape between 0.001 and 1000.
 * Where no page was watched at all, or none changed, likelihood has nothing to hold on to: then
 * half a change during all the time watched (at least 1). O(n), a few hundred passes.
 */
struct rate_gamma rate_gamma_fit(const struct rate_count *counts, size_t n);

/* What the prior becomes when a page's count is known. */
static inline struct rate_gamma rate_gamma_posterior(
	struct rate_gamma prior, struct rate_count count)
{
	return (struct rate_gamma){
		.shape = prior.shape + (double)count.changes,
		.time = prior.time + count.time,
	};
}

/*
 * What is known of one page's change rate, in 16 bytes: a Gamma distribution (struct rate_gamma),
 * which begins as the prior of its class and learns from each visit. Light and streaming; the exact
 * posterior of all visits is that of plan/posterior.h.
 *
 * An unchanged interval, and a change whose time is known, keep a Gamma distribution one. After a
 * changed interval the posterior is none; it is replaced by the Gamma distribution of the same mean
 * and variance, which closed formulas give. Intervals are cleaned by rate_length: no sequence of
 * calls leaves the bounds below, so everything stays finite.
 */

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

/* The functions around Euler's gamma that Gamma distributions need, for all shapes we use. */

/* The derivative of log G(x), x > 0. */
double rate_digamma(double x);

/* P(a, x): the probability that a Gamma variate of shape a > 0 and time 1 is at most x. */
double rate_gamma_p(double a, double x);

/* The x with P(a, x) = p, 0 < p < 1; 0 where it is too small for a double. */
double rate_gamma_p_inverse(double a, double p);

#endif
