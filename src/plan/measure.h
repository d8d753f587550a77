/*
 * Expected blur: how many changes separate what an explorer asks for from what the archive holds,
 * on average over the times she may ask for.
 *
 * SHARC (Denev, Mazeika, Spaniol, Weikum) Definition 1, eq. 1-4 and section 4.4 for single visits;
 * Definition 3, eq. 18-20 for visits with revisits. Queries are uniform on the observation
 * interval; a page changes as a Poisson process of the given rate. Download times may lie anywhere,
 * also outside the observation interval (the printed formulas hold inside only).
 *
 * Times and rates share one unit (rate per second with times in seconds, or both in delays).
 * Preconditions: start <= end, visit <= revisit, everything finite. Where one is broken the answer
 * is NaN, never a plausible number. All functions are pure and safe in any thread.
 */
#ifndef PLAN_MEASURE_H
#define PLAN_MEASURE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * The known truth about a page: when it changed. From a simulator, a living site or a recorded
 * history; a live crawl never has it.
 */

/* Borrows times, which ascend (equal times are separate changes). Empty: {NULL, 0}. */
struct change_history {
	const double *times;
	size_t len;
};

/* Number of changes before t, t itself excluded. O(log len). */
size_t change_history_before(struct change_history history, double t);

/* Number of changes up to t, t itself included. O(log len). */
size_t change_history_until(struct change_history history, double t);

/* Observation interval [start, end]: the times for which the archive answers with this capture. */
struct blur_interval {
	double start;
	double end;
};

/*
 * Schedule penalty of a download at t: the integral of |x - t| over the observation interval
 * (eq. 2 and section 4.4). 0 for an interval of length 0.
 */
double blur_penalty(double t, struct blur_interval obs);

/*
 * Schedule penalty with a revisit: the integral of min(|x - visit|, |x - revisit|), because the
 * explorer gets the version nearer to the time she asks for (eq. 19).
 */
double blur_penalty_revisit(double visit, double revisit, struct blur_interval obs);

/*
 * Blur of a page, rate * penalty / length of the interval (eq. 1). For an interval of length 0 its
 * limit, rate * distance to that instant: so 0 for a capture of one page, whose own interval is
 * the instant of its download.
 */
double blur_page(double rate, double t, struct blur_interval obs);

/* The same with a revisit (eq. 18); an interval of length 0 takes the nearer download. */
double blur_page_revisit(double rate, double visit, double revisit, struct blur_interval obs);

/* Blur of a capture of n pages: the sum over its pages (eq. 3). O(n). Borrows the arrays. */
double blur_capture(size_t n, const double *rates, const double *times, struct blur_interval obs);

/* The same with revisits (eq. 20). O(n). Borrows the arrays. */
double blur_capture_revisit(size_t n, const double *rates, const double *visits,
	const double *revisits, struct blur_interval obs);

/* Average blur (eq. 4): a capture's blur per page; 0 when there is no page. */
double blur_average(double capture_blur, size_t pages);

/*
 * Compensated summation (Neumaier 1974): the error of a sum does not grow with the number of
 * terms, so the blur of a million pages is as good as that of ten.
 */

struct sum {
	double total;
	double lost; /* low-order bits that total could not hold */
};

static inline void sum_add(struct sum *s, double x)
{
	double with = s->total + x;

	/* Recover the rounding error from the larger operand, else it would be rounded as well. */
	if (fabs(s->total) >= fabs(x))
		s->lost += (s->total - with) + x;
	else
		s->lost += (x - with) + s->total;
	s->total = with;
}

static inline double sum_value(const struct sum *s)
{
	/* An infinite total makes `lost` a NaN, which would hide the infinity. */
	return isfinite(s->total) ? s->total + s->lost : s->total;
}

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

/*
 * Mean number of changes between the download at t and a uniform query in the observation
 * interval. O(log m + changes that count), m the history's length. An interval of length 0 gives
 * the number of changes between that instant and the download.
 */
double blur_actual_page(struct change_history history, double t, struct blur_interval obs);

/* The same with a revisit: each query gets the nearer download (eq. 24). */
double blur_actual_page_revisit(
	struct change_history history, double visit, double revisit, struct blur_interval obs);

/*
 * Coherence: how many pages of a capture did not change between visit and revisit, so that they
 * are jointly valid at the still point. SHARC Definition 2 and section 9.2 (actual, from known
 * changes), Definition 5 (expected, from change rates).
 *
 * At equality we never claim more than the evidence. A download is not an instant: visit stands
 * for its end, revisit for its start, and which version a server had sent when the page changed at
 * that very moment is unknown. So a change at exactly visit or exactly revisit makes the page
 * incoherent: the page must be free of changes on the closed interval [visit, revisit], also when
 * that is a single instant. (The papers' model would be (visit, revisit]; for continuous times the
 * two differ with probability 0, so the mean of the actual coherence is the expected one. For
 * histories on a grid of seconds ours is never the larger.)
 */

/*
 * Probability e^(-rate length) that a page does not change. 1 when either is 0, whatever the
 * other; NaN when one is negative or NaN.
 */
double coherence_expected_page(double rate, double length);

/*
 * Expected coherence: the sum of weight * e^(-rate length) over n pages. weights may be NULL (all
 * 1: the expected number of coherent pages). O(n). Borrows the arrays.
 */
double coherence_expected(
	size_t n, const double *rates, const double *lengths, const double *weights);

/* Whether no change lies on [visit, revisit]; false when visit <= revisit does not hold. O(log m)
 */
bool coherence_actual_page(struct change_history history, double visit, double revisit);

#endif
