/*
 * How well change rates are predicted for pages without history (SHARC section 8.2, Table 4 and
 * Figure 14): ten-fold cross-validation on a recorded history. A page's rate is its real number of
 * changes in the period of the visits; the rates of all pages are put into ten bins. Features come
 * from the path, and offline also from the days since the last change before the period. Numbers of
 * images, tables and links are in no history: they are missing.
 */
#ifndef HISTORIES_PREDICTOR_H
#define HISTORIES_PREDICTOR_H

#include "base/api.h"
#include "histories/visits.h"
#include "plan/rate_estimate.h"

enum { PREDICTOR_ROWS = 4 };

struct predictor_row {
	const char *classifier, *features;
	double precision;                /* share of pages in the right bin */
	size_t histogram[RATE_BINS_MAX]; /* pages by the distance to it, in bins */
};

struct predictor {
	size_t bins; /* fewer than ten where rates are equal */
	double most; /* share of pages in the fullest bin: what guessing it gives */
	struct predictor_row rows[PREDICTOR_ROWS];
};

/* The seed deals pages to folds. 0 or ERR_NOMEM. */
int predictor_evaluate(
	const struct visits *visits, uint64_t seed, struct predictor *ret) SP_MUST_CHECK;

#endif
