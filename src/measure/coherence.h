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
#ifndef MEASURE_COHERENCE_H
#define MEASURE_COHERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/history.h"

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
