/*
 * What a capture may be expected to yield: coherence (SHARC Definition 5, with weights) and blur
 * (eq. 3 and 20); and what it did yield when the changes are known (section 9.2, eq. 23 and 24).
 * The observation interval is the capture's own, from its first download to its last.
 */
#ifndef PLAN_EXPECT_EVALUATE_H
#define PLAN_EXPECT_EVALUATE_H

#include "plan/expect_drive.h"
#include "plan/expect_site.h"
#include "plan/measure.h"

struct evaluation {
	double coherence; /* sum of w_i S_i(L_i), or of w_i; NAN for a single-visit strategy */
	double blur;      /* sum over the pages, without weights; 0 for one page */
};

/*
 * What is expected, or with histories, by page, what the changes that happened gave. Pages that
 * were not downloaded count for nothing; those without a revisit are never coherent, and their blur
 * is that of a single visit. O(n + changes).
 */
struct evaluation evaluate(const struct site *site, const struct drive_result *capture,
	const struct change_history *histories);

/*
 * The expected weight of whole groups (plan/group.h), pages in none being groups of one, and what
 * no schedule can exceed; NAN without revisits. 0 or ERR_NOMEM.
 */
struct group_evaluation {
	size_t groups; /* of more than one page */
	double expected, bound;
	double actual; /* that were whole, with histories by page; else NAN */
};

int evaluate_groups(const struct site *site, const struct drive_result *capture, bool fast,
	const struct change_history *histories, struct group_evaluation *ret) SP_MUST_CHECK;

/*
 * What no schedule can exceed in expectation (plan_limit), for a site all of whose pages are
 * captured. Where a schedule attains it, rounding may put the bound a little below: it is raised to
 * the largest of what was reached, as long as rounding explains the difference. 0 or ERR_NOMEM.
 */
int evaluate_bound(const struct site *site, double delay, bool fast, double reached,
	double *ret_bound) SP_MUST_CHECK;

#endif
