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
#ifndef MEASURE_BLUR_H
#define MEASURE_BLUR_H

#include <stddef.h>

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

#endif
