/*
 * A site under watch in virtual time: the policy of a live watch (plan/refresh_run.h) against
 * changes that are known, simulated or recorded. And what nobody can exceed who has the same
 * budget.
 */
#ifndef SIM_WATCH_H
#define SIM_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "plan/measure.h"
#include "plan/refresh_run.h"

/* The truth; all borrowed. */
struct watch_site {
	size_t n;
	const struct change_history *changes; /* by page; times ascend */
	const double *rates;                  /* by page: what `known` policies are told */
	const uint32_t *classes;              /* by page: class, root 0; NULL: one class */
	const double *until; /* by page: when it is removed, and no longer measured; NULL: never */
};

struct watch_params {
	const struct refresh_policy *policy; /* NULL: captures, one behind another */
	double budget;                       /* looks per unit of time */
	double start, end;
	double from; /* what lies before is not measured */
	double grid;
	bool learned;               /* rates are learned; else they are told */
	double past;                /* learned: so much time before the start was seen … */
	double past_period;         /* … by looks this far apart */
	struct refresh_params more; /* the policy's own settings, shares, seed */
};

enum watch_measure {
	WATCH_FRESHNESS, /* share of time in which copies are current */
	WATCH_AGE,       /* mean time since the first change that a copy lacks */
	WATCH_VERSIONS,  /* share of the versions that were archived */
	/*
	 * Share of pages proven at an instant of the grid. For this measure alone, all policies
	 * get a look at every page at the end, which is not counted: what was seen since the last
	 * look is not lost.
	 */
	WATCH_SHARPNESS,
	WATCH_EXPECTED, /* freshness that the true rates let expect of the looks made */
	WATCH_LOOKS,    /* per unit of time */
	WATCH_MEASURES,
};

struct watch_result {
	double of[WATCH_MEASURES];     /* NAN where there is none */
	double claimed, claimed_error; /* freshness as the watch's own audits measure it */
};

/* When a page is no longer measured: it is removed, or the watch ends. */
static inline double watch_end(
	const struct watch_site *site, const struct watch_params *params, size_t page)
{
	return site->until && site->until[page] < params->end ? site->until[page] : params->end;
}

/*
 * Runs a watch. All pages are known and their copies current at the start. 0, ERR_NOMEM, or
 * ERR_RANGE for parameters that the policy refuses; err says what.
 */
int watch_run(const struct watch_site *site, const struct watch_params *params,
	struct watch_result *ret, struct err *err) SP_MUST_CHECK;

/*
 * What nobody can exceed with as many looks, though he knows all changes and needs no pace:
 * freshness, versions and sharpness, each by itself; the others are NAN. 0 or ERR_NOMEM.
 */
int watch_bound(const struct watch_site *site, const struct watch_params *params,
	struct watch_result *ret) SP_MUST_CHECK;

#endif
