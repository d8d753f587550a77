/*
 * What a capture looks like: a bar for each page, from its visit to its revisit around the still
 * point, in the order of the visits. Of large sites as many pages as fit a picture, evenly spread
 * over that order.
 */
#ifndef HISTORIES_PYRAMID_H
#define HISTORIES_PYRAMID_H

#include <stddef.h>

#include "base/api.h"
#include "histories/draw.h"
#include "histories/past_capture.h"
#include "plan/expect.h"
#include "plan/measure.h"

enum { PYRAMID_BARS_MAX = 240 };

enum pyramid_fate {
	PYRAMID_SHARP,
	PYRAMID_CHANGED,
	PYRAMID_HOPELESS, /* changed, and the plan had given it up */
	PYRAMID_PLANNED,  /* what happened is not known */
	PYRAMID_FATES,
};

struct pyramid_bar {
	double visit, revisit; /* the still point is 0 */
	enum pyramid_fate fate;
};

struct pyramid {
	struct pyramid_bar bars[PYRAMID_BARS_MAX];
	size_t count;
	size_t pages[PYRAMID_FATES]; /* how many there are, shown or not; late ones are none */
};

/*
 * In delays. Without histories pages are PYRAMID_PLANNED, or PYRAMID_HOPELESS where the plan gives
 * them up. No bars when the capture has no revisits.
 */
void pyramid_of_drive(const struct drive_result *result, const struct change_history *histories,
	struct pyramid *ret_pyramid);

/*
 * In days, from the first look at a page to the last. Where still points differ, their mean is 0.
 * 0 or ERR_NOMEM.
 */
int pyramid_of_capture(const struct draw *draw, const struct past_capture *capture,
	struct pyramid *ret_pyramid) SP_MUST_CHECK;

#endif
