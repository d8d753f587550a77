/*
 * What a capture may be expected to yield: coherence (SHARC Definition 5, with weights) and blur
 * (eq. 3 and 20). The observation interval is the capture's own, from its first download to its
 * last.
 */
#ifndef SIM_EVALUATE_H
#define SIM_EVALUATE_H

#include "sim/drive.h"
#include "sim/site.h"

struct evaluation {
	double coherence; /* sum of w_i S_i(L_i); NAN for a single-visit strategy */
	double blur;      /* sum over the pages, without weights; 0 for one page */
};

/* Pages that were not reached count for nothing. O(n). */
struct evaluation evaluate(const struct site *site, const struct drive_result *capture);

/*
 * What no schedule can exceed in expectation (plan_limit), for a site all of whose pages are
 * captured. Where a schedule attains it, rounding may put the bound a little below: it is raised to
 * the largest of what was reached, as long as rounding explains the difference. 0 or ERR_NOMEM.
 */
int evaluate_bound(const struct site *site, double delay, bool fast, double reached,
	double *ret_bound) SP_MUST_CHECK;

#endif
