/*
 * Change rates as classes (SHARC section 8.2): up to ten bins that hold as nearly the same number
 * of pages as equal rates allow, which are never parted. Few different rates give fewer bins. Where
 * most pages never change, these fill the first bin and the others share the rest.
 */
#ifndef PLAN_RATE_BINS_H
#define PLAN_RATE_BINS_H

#include <stddef.h>

#include "base/api.h"

enum { RATE_BINS_MAX = 10 };

struct rate_bins {
	size_t count;                /* 0 without rates */
	double upper[RATE_BINS_MAX]; /* the largest rate in each, ascending */
	double mean[RATE_BINS_MAX];  /* what a page of the bin is predicted to have */
};

/* Rates that are no finite number or below 0 are ignored. 0 or ERR_NOMEM. */
int rate_bins_make(const double *rates, size_t count, struct rate_bins *ret) SP_MUST_CHECK;

/* The bin of a rate; what lies above the last edge is in the last. There must be a bin. */
size_t rate_bins_find(const struct rate_bins *b, double rate);

#endif
