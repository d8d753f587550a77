/*
 * Change rates of a site as a watch learns them, look by look, in 12 bytes for a page. The prior is
 * that of the site: rates on a grid (plan/rate_grid.h), fitted to its pages, and fitted anew as the
 * evidence grows. What a page did long ago fades: its last RATE_MEMORY looks or so count.
 *
 * Of unchanged intervals the sum of their lengths is all that counts. Changed ones are taken to
 * have been of equal length.
 */
#ifndef PLAN_SITE_RATES_H
#define PLAN_SITE_RATES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/api.h"
#include "plan/gamma_poisson.h"
#include "plan/rate_estimate.h"
#include "plan/rate_grid.h"

enum {
	RATE_MEMORY = 256,
	RATE_SITE_SAMPLE = 1024, /* pages that the prior is fitted to */
};

/* What was seen of a page; zeroed: nothing. */
struct rate_memory {
	float steady;  /* sum of the lengths of unchanged intervals */
	float changed; /* the same of changed ones */
	float changes; /* how many there were */
};

/* Fields are its own. Times are in seconds. */
struct site_rates {
	struct rate_grid grid;
	struct rate_row prior;
	double intervals, fit_at; /* observed so far; when the prior is due again */
};

/* first: what is assumed of the site before anything was seen; its shape is made small. */
void site_rates_init(struct site_rates *s, struct rate_gamma first);

/* An interval between two looks at a page. */
void site_rates_observe(struct site_rates *s, struct rate_memory *page, struct rate_interval seen);

/* Whether the prior was fitted to pages of the site: before that nothing is known of its rates. */
bool site_rates_is_fitted(const struct site_rates *s);

/* Whether the evidence has grown by a third since the prior was fitted. */
bool site_rates_is_due(const struct site_rates *s);

/* Fits the prior to these pages, or to some of them. 0 or ERR_NOMEM: then it stays as it was. */
int site_rates_fit(struct site_rates *s, const struct rate_memory *pages, size_t count);

/*
 * The rate with which a Poisson process would survive the horizon (> 0) as likely as the page does;
 * never above the mean. A page that has changed at every look may have any high rate: its mean is
 * far too high, and a policy would give the page up for ever. For a horizon take half a usual time
 * between two looks.
 */
double site_rates_rate(const struct site_rates *s, const struct rate_memory *page, double horizon);

/* How likely the page does not change for so long (>= 0): the mean over all rates it may have. */
double site_rates_survival(
	const struct site_rates *s, const struct rate_memory *page, double length);

#endif
