/*
 * SHARC Definition 1 (eq. 1-4), section 4.4, Definition 3 (eq. 18-20).
 *
 * The printed polynomials (t^2 - t(os+oe) + (os^2+oe^2)/2) subtract squares of absolute times: at
 * Unix times they lose every digit. Here all formulas are in distances from the interval's ends,
 * which are the same expressions without the cancellation.
 */
#include "measure/blur.h"

#include <math.h>
#include <stdbool.h>

#include "measure/sum.h"

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
