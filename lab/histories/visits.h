/*
 * Visits to the pages of a recorded history at irregular times, as a web archive makes them: what
 * each page's visits would have seen. For evaluating rates and choices (HACS section III).
 *
 * The period begins at `start` and lasts VISITS_WEEKS weeks; pages are those that were there
 * throughout and VISITS_MARGIN days around. Visits begin VISITS_MARGIN days before it. Each page
 * has a median gap, drawn log-normally with 10 and 90 % quantiles of 20 and 127 days (HACS Figure
 * 3); its gaps are log-normal around that with sigma 1. Times are days of the history.
 */
#ifndef HISTORIES_VISITS_H
#define HISTORIES_VISITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "histories/history.h"
#include "plan/rate_estimate.h"

enum { VISITS_WEEKS = 156, VISITS_MARGIN = 84, VISITS_HORIZON = 7 };

struct visits {
	const struct history *history; /* borrowed */
	double start, end;             /* of the period */
	size_t pages;
	uint32_t *numbers;       /* by page: its number in the history */
	size_t *from;            /* visits of page i: from[i] up to from[i + 1] */
	struct rate_visit *list; /* `changed` since the visit before; false for the first */
};

/*
 * start_s: Unix seconds, or 0 for the period with most pages (of those that
 * begin a multiple of 28 days before the last one). The same seed gives
 * the same visits. 0, ERR_RANGE with a sentence in err when the history does not cover the period
 * or no page was there throughout, ERR_NOMEM. Free with visits_release.
 */
int visits_draw(const struct history *history, int64_t start_s, uint64_t seed, struct visits *ret,
	struct err *err) SP_MUST_CHECK;
void visits_release(struct visits *v);

/* Number of the page's visits up to time t. */
size_t visits_until(const struct visits *v, size_t page, double t);

/* The time of the page's first change after t; infinite when there is none. */
double visits_next_change(const struct visits *v, size_t page, double t);

/* The interval that ends with visit i of the page, i > 0. */
static inline struct rate_interval visits_interval(const struct visits *v, size_t page, size_t i)
{
	const struct rate_visit *at = &v->list[v->from[page] + i];

	return (struct rate_interval){.length = at->time - at[-1].time, .changed = at->changed};
}

#endif
