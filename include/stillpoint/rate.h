/*
 * Change rates from counts of changes. The rates of a site's pages are taken as draws from one
 * Gamma distribution (shape and time; its mean is shape / time). It is fitted to all pages of the
 * site; the count of a page then moves its own rate away from the mean, more so the longer the
 * page was watched. A page that never changed gets a small rate, not 0.
 */
#ifndef STILLPOINT_RATE_H
#define STILLPOINT_RATE_H

#include <stddef.h>
#include <stdint.h>

#include <stillpoint/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Fits the prior: page i changed changes[i] times while it was watched for times[i] >= 0. Borrows
 * the arrays, which may be NULL when n is 0. Without any change the prior is half a change in all
 * the time watched. Cost: a few hundred passes over the pages.
 */
SP_API int sp_rate_fit(size_t n, const uint64_t *changes, const double *times,
	double *ret_prior_shape, double *ret_prior_time);

/* The rate and shape of a page (for struct sp_page), from the prior and the page's own count. */
SP_API int sp_rate_posterior(double prior_shape, double prior_time, uint64_t changes, double time,
	double *ret_rate, double *ret_shape);

/*
 * The rate per second that a sitemap's <changefreq> suggests: always, hourly, daily, weekly,
 * monthly, yearly or never, in any case. Other words: SP_ERROR_ARGUMENT.
 */
SP_API int sp_rate_of_changefreq(const char *word, double *ret_rate);

#ifdef __cplusplus
}
#endif

#endif
