/*
 * Captures of a draw, each driven through the planner (plan/expect.h, plan/plan.h) in virtual
 * time. All begin at the start of the draw, know its pages from then on (the plain one: its seeds,
 * where the draw has links), and make one download every draw_delay. Plans are not exact
 * (plan_params.fast).
 */
#ifndef HISTORIES_SCHEDULE_H
#define HISTORIES_SCHEDULE_H

#include "base/api.h"
#include "base/err.h"
#include "histories/draw.h"
#include "histories/past_capture.h"
#include "plan/plan.h"

/* Borrows everything. */
struct schedule_params {
	const struct draw *draw;
	const struct plan_strategy *strategy;
	double tau; /* 0: PLAN_TAU */
};

/*
 * Each: 0, or ERR_NOMEM or what plan_run_new says, in err too. Free with past_capture_release.
 *
 * Plain: n visits, then n revisits unless the strategy has none. The still point is the first
 * revisit.
 */
int schedule_plain(const struct schedule_params *params, struct past_capture *ret_capture,
	struct err *err) SP_MUST_CHECK;

/*
 * Gain "subsites": each subsite (histories/subsites.h) has a pyramid, and so a still point, of its
 * own. They are captured one after another, each planned by itself with the same strategy, delay
 * and number of requests as the plain capture. Their pages are jointly valid within a subsite only;
 * what that is worth to the site as a whole is the share `joint` of histories/proof.h.
 */
int schedule_subsites(const struct schedule_params *params, struct past_capture *ret_capture,
	struct err *err) SP_MUST_CHECK;

/*
 * Gain "third-visit": after the last download of any capture, each page whose last two looks
 * differ is looked at once more, in the order of those last looks, one every delay: extra requests
 * and extra time. A third look cannot tell what a page was at a still point before the second: it
 * proves a later interval, which counts once the still point may be moved ("best-instant").
 * 0 or ERR_NOMEM.
 */
int schedule_third_visits(const struct draw *draw, struct past_capture *capture) SP_MUST_CHECK;

#endif
