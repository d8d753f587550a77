/*
 * Pages whose behaviour changes: a news page that becomes an archive, an event that is over. What
 * they did before says nothing about what they will do, so it is to be forgotten.
 *
 * Compared are two explanations of all intervals of a page: one rate, drawn from the prior; or two
 * rates, drawn from it independently, with one shift at any place (all places are equally likely).
 * Both have exact probabilities on a grid of rates (plan/rate_grid.h). The second is believed only
 * if it is SHIFT_ODDS times as likely; then the most probable place counts.
 */
#ifndef PLAN_RATE_SHIFT_H
#define PLAN_RATE_SHIFT_H

#include <stddef.h>

#include "plan/rate_grid.h"

#define SHIFT_ODDS 100.0

enum {
	SHIFT_SIDE_MIN = 3,   /* intervals on either side of a shift */
	SHIFT_LOOK_MAX = 512, /* the last so many intervals are looked at */
};

/*
 * The number of intervals, from the oldest, that are to be forgotten; 0: none. They are in the
 * order of time. The prior has probabilities for the grid's rates.
 */
size_t rate_shift(const struct rate_grid *g, const struct rate_row *prior,
	const struct rate_interval *intervals, size_t count);

#endif
