/*
 * Estimators of change rates compared on visits drawn from a recorded history: each page's first
 * intervals are to learn from, the others are held out.
 *
 * log_likelihood is the mean over held-out intervals of log P(what the visit saw), probabilities
 * cut to [0.001, 0.999]. rate_error is the sum of |estimate - truth| over all pages divided by the
 * sum of the truth, which is the page's real number of changes after the last interval learned from
 * over the time until the end of the period.
 */
#ifndef HISTORIES_ESTIMATORS_H
#define HISTORIES_ESTIMATORS_H

#include "base/api.h"
#include "histories/visits.h"

enum estimator {
	ESTIMATOR_NAIVE,
	ESTIMATOR_BIAS_REDUCED,
	ESTIMATOR_HACS,
	ESTIMATOR_INTERPOLATED,
	ESTIMATOR_GAMMA_SITE, /* one prior for the whole site */
	ESTIMATOR_GAMMA,      /* a prior for each directory */
	ESTIMATOR_GRID,       /* the same on a grid */
	ESTIMATORS,
};

enum { ESTIMATOR_COUNTS = 7, ESTIMATOR_ROWS = ESTIMATOR_COUNTS * ESTIMATORS };

struct estimator_row {
	const char *estimator;
	unsigned observations;             /* intervals of each page to learn from */
	double log_likelihood, rate_error; /* NAN: there was nothing to compare with */
};

struct estimators {
	struct estimator_row rows[ESTIMATOR_ROWS];
};

/* 0 or ERR_NOMEM. */
int estimators_evaluate(const struct visits *visits, struct estimators *ret) SP_MUST_CHECK;

#endif
