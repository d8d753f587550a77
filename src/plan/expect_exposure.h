/*
 * The exposure table: what a curator wants to know before a crawl. For each delay between two
 * downloads, how long the capture exposes the site and how many pages each strategy may be expected
 * to get sharp, when all pages and their rates are known.
 */
#ifndef PLAN_EXPECT_EXPOSURE_H
#define PLAN_EXPECT_EXPOSURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "plan/expect_site.h"
#include "plan/plan.h"

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

#endif
