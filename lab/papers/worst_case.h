/*
 * How much blur a single-visit crawl can lose against the optimal (organ-pipe) order when k of its
 * downloads are misplaced (SHARC section 6, Theorem 4, eq. 17).
 *
 * A k-misplacement takes k pages and k slots, puts those pages on those slots in any order, and
 * leaves the other pages in organ-pipe order on the other slots. Slots are 0, 1, .., n-1 times the
 * delay; the observation interval is the capture's own.
 *
 * All values are sums of rate * penalty, as in eq. 17 and Example 6; divide by (n-1) * delay for
 * blur. Fallible functions return 0 or ERR_RANGE (then ret_* is untouched; err may be NULL).
 */
#ifndef PAPERS_WORST_CASE_H
#define PAPERS_WORST_CASE_H

#include <stddef.h>

#include "base/err.h"

/* Borrows rates, which ascend, are finite and >= 0. The delay is finite and >= 0. */
struct blur_site {
	size_t pages;
	const double *rates;
	double delay;
};

/* Sum of rate * penalty of the optimal order (Theorem 2, eq. 6), from which increases count. O(n)
 */
int blur_organ_pipe(const struct blur_site *site, double *ret_total, struct err *err);

/*
 * Eq. 17, the closed formula. It needs an even number of pages, an even k <= n, and rates equal in
 * pairs (rates[0] = rates[1] <= rates[2] = rates[3] ..). O(n).
 */
int blur_worst_case_paired(
	const struct blur_site *site, size_t k, double *ret_increase, struct err *err);

#endif
