/*
 * HACS's evaluations 1 and 2 (section III) on visits drawn from a recorded history: each week the
 * pages that will change within the next one are to be chosen, from what visits have seen.
 *
 * Candidates are the pages with a visit within the last w weeks, w = 1 … 12. HACS itself is read
 * as printed: it sees only visits in the window, updates are interpolated, a page with one visit
 * there has no rate (p = 0), and p is the probability of a change since the last known update.
 *
 * Precision, recall and F1 are those at the threshold with the highest micro-averaged F1, of 0,
 * 0.001, … 1. Macro averages are means over the weeks with pages that change, at the same
 * threshold. Random selects as many as HACS; its figures are expectations. Probabilities are cut to
 * [0.001, 0.999] before their log-loss is taken, else HACS's zeros would cost infinitely much.
 */
#ifndef HISTORIES_CHOICES_H
#define HISTORIES_CHOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/rng.h"
#include "histories/visits.h"

/*
 * How good a ranking of pages is, of which some change soon: average precision, and HACS's weighted
 * P@K against the order in which pages really change (section III-C). P@K is the share that the
 * first K of both orders have in common; its weight is 1/log2(K + 1), K = 1 … all.
 */

struct ranked {
	double score;  /* the higher, the earlier it is expected to change */
	double change; /* when it really does; infinite: never */
	bool due;      /* that is within the horizon */
};

struct ranking_value {
	double weighted_p_at_k;   /* 0 without pages */
	double average_precision; /* NAN where no page is due */
};

/*
 * Equal scores come in a random order, equal changes in another. Borrows the pages. 0 or ERR_NOMEM.
 */
int ranking_measure(const struct ranked *pages, size_t count, struct rng *randoms,
	struct ranking_value *ret) SP_MUST_CHECK;

/* What a random order may be expected to give. */
struct ranking_value ranking_random(size_t count, size_t due);

enum { CHOICES_WINDOWS = 12 };

/* NAN: has no meaning for the policy. */
struct choice_row {
	const char *policy;
	unsigned weeks;
	double threshold, precision, recall, f1;
	double macro_precision, macro_recall, macro_f1;
	double weighted_p_at_k, log_loss, average_precision;
};

/* In the order of rows. */
enum choice_policy {
	CHOICE_HACS,
	CHOICE_RANDOM,
	CHOICE_BRUTE_FORCE,
	CHOICE_LAST_OBS,
	CHOICE_ALL_HISTORY,
	CHOICE_GAMMA,
	CHOICE_GRID,
	CHOICE_POLICIES,
};

enum { CHOICE_ROWS = CHOICES_WINDOWS * CHOICE_POLICIES };

struct choices {
	struct choice_row rows[CHOICE_ROWS];
};

/* 0 or ERR_NOMEM. report, which may be NULL, is told the weeks done. */
int choices_evaluate(const struct visits *visits, uint64_t seed,
	void (*report)(void *context, size_t weeks), void *context,
	struct choices *ret) SP_MUST_CHECK;

#endif
