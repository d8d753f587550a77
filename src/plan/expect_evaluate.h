/*
 * What a capture may be expected to yield: coherence (SHARC Definition 5, with weights) and blur
 * (eq. 3 and 20); and what it did yield when the changes are known (section 9.2, eq. 23 and 24).
 * The observation interval is the capture's own, from its first download to its last.
 */
#ifndef PLAN_EXPECT_EVALUATE_H
#define PLAN_EXPECT_EVALUATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "plan/expect_drive.h"
#include "plan/expect_site.h"
#include "plan/measure.h"
#include "plan/plan.h"

/*
 * The exposure table: what a curator wants to know before a crawl. For each delay between two
 * downloads, how long the capture exposes the site and how many pages each strategy may be expected
 * to get sharp, when all pages and their rates are known.
 */

/* Above this many pages an exact plan for every row would try the reader's patience. */
enum { EXPOSURE_EXACT_MAX = 1000 };

/* Borrows everything. */
struct exposure_params {
	const struct site *site;
	const struct plan_strategy *const *strategies;
	size_t strategy_count;
	double tau; /* 0: PLAN_TAU */
	bool fast;  /* no exact plans, whatever the size */
};

/*
 * One row. Fills sharp, strategy_count entries of the caller's, with the expected (weighted)
 * number of sharp pages, NAN for single-visit strategies; *ret_bound is what no schedule can exceed
 * in expectation. 0, or an error with its text in err.
 */
int exposure_row(const struct exposure_params *params, double delay, double *sharp,
	double *ret_bound, struct err *err) SP_MUST_CHECK;

/* How long a capture of n pages lasts: 2n - 1 downloads and their delays, one page being shared. */
double exposure_duration(size_t n, double delay);

/*
 * How many downloads fit into a time, the one that the innermost page shares counted twice:
 * visits + revisits of plan_share.
 */
size_t exposure_downloads(double delay, double seconds);

/* How the default strategy spends them with an aim. 0 or ERR_NOMEM. */
int exposure_share(const struct exposure_params *params, double delay, size_t downloads,
	enum plan_aim aim, struct plan_share *ret_share) SP_MUST_CHECK;

/*
 * What hours make of a capture that begins with them (plan_hours). Either the visits end in time
 * for the revisits of what was visited, and the other pages are put off; or they go on, and some
 * intervals contain the time between the hours.
 */
struct exposure_hours {
	size_t visits;             /* in time; all pages: both legs fit into the hours */
	struct plan_limit in_time; /* weight expected sharp, and what no choice can exceed */
	struct plan_limit go_on;
};

/* hours: left and open are the same, and the pace is the delay. 0 or ERR_NOMEM. */
int exposure_hours(const struct exposure_params *params, const struct plan_hours *hours,
	struct exposure_hours *ret) SP_MUST_CHECK;

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
