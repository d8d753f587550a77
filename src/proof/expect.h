/*
 * What was to be expected of a capture, from its change rates and the times at which it really
 * looked. Pure.
 */
#ifndef PROOF_EXPECT_H
#define PROOF_EXPECT_H

#include <stdbool.h>
#include <stdint.h>

struct report;

/* Whether the capture looked twice, by a plan of ours: else nothing was to be expected. */
bool expect_is_possible(const struct report *r);

/*
 * How many of the pages with a usable visit and a revisit that was sent were to be found unchanged:
 * the sum of S(start of the revisit - end of the visit) over them (SHARC Definition 5). It is held
 * against the pages that are sharp or absent.
 */
double expect_sharp(const struct report *r);

/*
 * The range in which that number is to be expected: two standard deviations around the sum over
 * pages whose rates are known, and anything for those of which nothing is known
 * (catalog/unknown_rate.h), whose number goes to *ret_unknown.
 */
struct expect_range {
	double low, high;
};
struct expect_range expect_range(const struct report *r, uint64_t *ret_unknown);

/* How the pages found unchanged compare with the number that was expected. */
enum expect_result {
	EXPECT_FEWER,  /* pages change more often than the rates say, or revisits failed */
	EXPECT_AGREES, /* within three standard deviations */
	EXPECT_MORE,
};

/* By its range where pages are unknown. */
enum expect_result expect_compare(const struct report *r, uint64_t found);

/*
 * Blur of the capture: SHARC eq. 20 for pages with two usable observations, eq. 3 for those with
 * one, summed. A visit counts at its end and a revisit at its start; the observation interval is
 * the capture's own, from the first of these times to the last. 0 when nothing was observed.
 */
double expect_blur(const struct report *r);

#endif
