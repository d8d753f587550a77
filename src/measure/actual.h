/*
 * Actual blur: the measure of blur.h with the changes that did happen in place of change rates
 * (SHARC section 9.2, eq. 23 and 24). Download times may lie anywhere, also outside the observation
 * interval.
 *
 * A change at h is visible from h on: a download at exactly h holds the new version, and so does a
 * query for h (eq. 23 counts h = t as before the download). Between a query and a download lie the
 * changes in (earlier, later]. For a query exactly between visit and revisit, which matters only
 * when the interval has length 0, the visit is taken.
 *
 * Preconditions as in blur.h; NaN where they are broken.
 */
#ifndef MEASURE_ACTUAL_H
#define MEASURE_ACTUAL_H

#include <stddef.h>

#include "measure/blur.h"
#include "measure/history.h"

/*
 * Mean number of changes between the download at t and a uniform query in the observation
 * interval. O(log m + changes that count), m the history's length. An interval of length 0 gives
 * the number of changes between that instant and the download.
 */
double blur_actual_page(struct change_history history, double t, struct blur_interval obs);

/* The same with a revisit: each query gets the nearer download (eq. 24). */
double blur_actual_page_revisit(
	struct change_history history, double visit, double revisit, struct blur_interval obs);

#endif
