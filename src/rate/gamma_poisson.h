/*
 * Change rates from counts: pages change as Poisson processes whose rates are drawn, page by page,
 * from one Gamma distribution of the whole site. Its two numbers are fitted to all pages (empirical
 * Bayes); a page's own count then pulls its rate away from what is usual, the more the longer it
 * was watched. So a page that never changed gets a small rate and not 0.
 *
 * A Gamma distribution has density proportional to x^(shape-1) e^(-time x), mean shape / time. What
 * it predicts is survival_gamma(shape, time) of plan/survival.h.
 */
#ifndef RATE_GAMMA_POISSON_H
#define RATE_GAMMA_POISSON_H

#include <stddef.h>
#include <stdint.h>

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

#endif
