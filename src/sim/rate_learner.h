/*
 * Change rates as a watch learns them: a posterior for each page on a grid of rates (rate/grid.h),
 * updated with every look, under priors that are fitted to all pages and shrunk down the tree of
 * their classes. The priors are fitted anew as evidence grows.
 */
#ifndef SIM_RATE_LEARNER_H
#define SIM_RATE_LEARNER_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "rate/grid.h"

/* Fields are the learner's own. */
struct rate_learner {
	struct rate_grid grid;
	size_t pages, classes;
	const uint32_t *page_classes, *parents; /* borrowed */
	struct rate_row *logs;                  /* by page */
	struct rate_row *priors;                /* by class */
	double unit;                            /* a typical time between looks */
	double intervals, fit_at;               /* observed so far; when the priors are due again */
};

/*
 * Classes as in struct rate_tree; both arrays are NULL for one class. unit is a typical time
 * between looks: the grid lies around its inverse. 0 or ERR_NOMEM; release after both.
 */
int rate_learner_init(struct rate_learner *l, size_t pages, const uint32_t *page_classes,
	const uint32_t *parents, size_t classes, double unit) SP_MUST_CHECK;
void rate_learner_release(struct rate_learner *l);

/* What a look saw, a time after the one before. */
void rate_learner_observe(struct rate_learner *l, size_t page, double length, bool changed);

/* Fits the priors if the evidence has grown by a third since the last time. 0 or ERR_NOMEM. */
int rate_learner_fit(struct rate_learner *l) SP_MUST_CHECK;

/*
 * The rate with which a Poisson process would survive half a unit as likely as the page does by its
 * posterior. A page that has changed at every look may have any high rate: the mean of its
 * posterior is far too high, and a policy would give the page up for ever. Never above that mean.
 */
double rate_learner_rate(const struct rate_learner *l, size_t page);

#endif
