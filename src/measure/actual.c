/*
 * SHARC section 9.2, eq. 23 and 24.
 *
 * Read change by change: a change counts once for every query that has it between itself and its
 * download. So its weight is the length of the query times it separates from their download, cut to
 * the observation interval. The cut is what carries the printed sums beyond the interval; inside
 * it the weights are the printed h-os, mid-h, h-mid, oe-h. A single download is visit = revisit.
 */
#include "measure/actual.h"

#include <math.h>

#include "measure/sum.h"

/* Length of what [from, to] and the observation interval share. */
static double overlap(double from, double to, struct blur_interval obs)
{
	double length = fmin(to, obs.end) - fmax(from, obs.start);

	return length > 0 ? length : 0;
}

/* Length of the query times between which and their download the change lies. */
static double weight(double change, double visit, double revisit, struct blur_interval obs)
{
	double mid = visit + (revisit - visit) / 2;

	if (change <= visit)
		return overlap(-INFINITY, change, obs);
	if (change <= mid)
		return overlap(change, mid, obs);
	if (change <= revisit)
		return overlap(mid, change, obs);
	return overlap(change, INFINITY, obs);
}

/* Changes between a query and the download nearer to it. */
static size_t changes_seen(
	struct change_history history, double visit, double revisit, double query)
{
	double download = fabs(query - visit) <= fabs(revisit - query) ? visit : revisit;

	return change_history_until(history, fmax(query, download)) -
	       change_history_until(history, fmin(query, download));
}

double blur_actual_page_revisit(
	struct change_history history, double visit, double revisit, struct blur_interval obs)
{
	struct sum blur = {0};
	size_t first, end;

	if (!(obs.start <= obs.end) || !(visit <= revisit))
		return NAN;
	if (obs.start == obs.end)
		return (double)changes_seen(history, visit, revisit, obs.start);
	first = change_history_until(history, fmin(obs.start, visit));
	end = change_history_until(history, fmax(obs.end, revisit));
	for (size_t i = first; i < end; i++)
		sum_add(&blur, weight(history.times[i], visit, revisit, obs));
	return sum_value(&blur) / (obs.end - obs.start);
}

double blur_actual_page(struct change_history history, double t, struct blur_interval obs)
{
	return blur_actual_page_revisit(history, t, t, obs);
}
