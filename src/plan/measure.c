/*
 * SHARC Definition 1 (eq. 1-4), section 4.4, Definition 3 (eq. 18-20).
 *
 * The printed polynomials (t^2 - t(os+oe) + (os^2+oe^2)/2) subtract squares of absolute times: at
 * Unix times they lose every digit. Here all formulas are in distances from the interval's ends,
 * which are the same expressions without the cancellation.
 */
#include "plan/measure.h"

#include <math.h>
#include <stdbool.h>

static size_t count(struct change_history history, double t, bool inclusive)
{
	size_t low = 0, high = history.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		double change = history.times[mid];

		if (change < t || (inclusive && change == t))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

size_t change_history_before(struct change_history history, double t)
{
	return count(history, t, false);
}

size_t change_history_until(struct change_history history, double t)
{
	return count(history, t, true);
}

double coherence_expected_page(double rate, double length)
{
	if (!(rate >= 0) || !(length >= 0))
		return NAN;
	/* Not left to exp: 0 times infinity is NaN, and a page looked at once cannot differ. */
	if (rate == 0 || length == 0)
		return 1;
	return exp(-rate * length);
}

static double weight_of(const double *weights, size_t i)
{
	return weights ? weights[i] : 1;
}

double coherence_expected(
	size_t n, const double *rates, const double *lengths, const double *weights)
{
	struct sum coherence = {0};

	for (size_t i = 0; i < n; i++)
		sum_add(&coherence,
			weight_of(weights, i) * coherence_expected_page(rates[i], lengths[i]));
	return sum_value(&coherence);
}

bool coherence_actual_page(struct change_history history, double visit, double revisit)
{
	return visit <= revisit &&
	       change_history_before(history, visit) == change_history_until(history, revisit);
}

static bool is_interval(struct blur_interval obs)
{
	return obs.start <= obs.end;
}

double blur_penalty(double t, struct blur_interval obs)
{
	double after_start = t - obs.start;
	double before_end = obs.end - t;

	if (!is_interval(obs))
		return NAN;
	if (after_start >= 0 && before_end >= 0)
		return (after_start * after_start + before_end * before_end) / 2;
	/* Outside, |x - t| is linear in x: length times distance from the middle. */
	return (obs.end - obs.start) * fabs(after_start - before_end) / 2;
}

/* The query time from which the revisit is the nearer download. */
static double middle(double visit, double revisit)
{
	return visit + (revisit - visit) / 2;
}

static double clamp(double x, struct blur_interval obs)
{
	if (x < obs.start)
		return obs.start;
	return x > obs.end ? obs.end : x;
}

double blur_penalty_revisit(double visit, double revisit, struct blur_interval obs)
{
	double split;

	if (!is_interval(obs) || !(visit <= revisit))
		return NAN;
	split = clamp(middle(visit, revisit), obs);
	return blur_penalty(visit, (struct blur_interval){obs.start, split}) +
	       blur_penalty(revisit, (struct blur_interval){split, obs.end});
}

double blur_page(double rate, double t, struct blur_interval obs)
{
	if (obs.start == obs.end)
		return rate * fabs(t - obs.start);
	return rate * (blur_penalty(t, obs) / (obs.end - obs.start));
}

double blur_page_revisit(double rate, double visit, double revisit, struct blur_interval obs)
{
	if (!(visit <= revisit))
		return NAN;
	if (obs.start == obs.end)
		return rate * fmin(fabs(visit - obs.start), fabs(revisit - obs.start));
	return rate * (blur_penalty_revisit(visit, revisit, obs) / (obs.end - obs.start));
}

double blur_capture(size_t n, const double *rates, const double *times, struct blur_interval obs)
{
	struct sum blur = {0};

	for (size_t i = 0; i < n; i++)
		sum_add(&blur, blur_page(rates[i], times[i], obs));
	return sum_value(&blur);
}

double blur_capture_revisit(size_t n, const double *rates, const double *visits,
	const double *revisits, struct blur_interval obs)
{
	struct sum blur = {0};

	for (size_t i = 0; i < n; i++)
		sum_add(&blur, blur_page_revisit(rates[i], visits[i], revisits[i], obs));
	return sum_value(&blur);
}

double blur_average(double capture_blur, size_t pages)
{
	return pages ? capture_blur / (double)pages : 0;
}

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
