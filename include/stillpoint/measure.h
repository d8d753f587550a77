/*
 * How good a capture is (docs/measures.md).
 *
 * Coherence: how many pages did not change between visit and revisit. Blur: how many changes lie
 * between what somebody asks for and what the archive holds, on average over all times from start
 * to end. Times and rates share one unit. Everything must be finite, visit <= revisit and
 * start <= end; else SP_ERROR_ARGUMENT. Arrays have n elements, are borrowed, and may be NULL when
 * n is 0. changes are the times at which a page did change, in ascending order.
 */
#ifndef STILLPOINT_MEASURE_H
#define STILLPOINT_MEASURE_H

#include <stddef.h>

#include <stillpoint/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Expected blur: the sum over n pages. revisits may be NULL: each page was visited once. */
SP_API int sp_blur_expected(size_t n, const double *rates, const double *visits,
	const double *revisits, double start, double end, double *ret_blur);

/* Blur of one page by its n changes. revisit may equal visit: the page was visited once. */
SP_API int sp_blur_actual(size_t n, const double *changes, double visit, double revisit,
	double start, double end, double *ret_blur);

/* The sum of weight e^(-rate length) over n pages; weights may be NULL: all are 1. */
SP_API int sp_coherence_expected(size_t n, const double *rates, const double *lengths,
	const double *weights, double *ret_coherence);

/*
 * 1 if none of a page's n changes lies on the closed interval from visit to revisit, else 0: a
 * change at the very time of a download makes the page incoherent.
 */
SP_API int sp_coherence_actual(
	size_t n, const double *changes, double visit, double revisit, int *ret_coherent);

#ifdef __cplusplus
}
#endif

#endif
