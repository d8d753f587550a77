/*
 * One run of an experiment on a synthetic site: the site is made, its changes are drawn, and every
 * strategy captures it. All see the same site and the same changes, so that what differs between
 * them is not luck.
 */
#ifndef SIM_TRIAL_H
#define SIM_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/rng.h"
#include "plan/expect.h"
#include "plan/measure.h"
#include "plan/plan.h"
#include "sim/fleet.h"
#include "sim/kinds.h"
#include "sim/synthetic.h"

/*
 * Pages with requisites, for experiments: style sheets, images and scripts of a site's pages. One
 * style sheet belongs to all of them. Of the others half belong to one page; the rest are shared,
 * by eight pages on average. Requisites change a quarter as often as pages do.
 */

/*
 * Adds requisites to a synthetic site, so many for each of its pages and the style sheet; they are
 * links of the page, too. Rates are scaled so that as much changes during a capture as before. 0 or
 * ERR_NOMEM.
 */
int composites_add(struct site *site, unsigned per_page, struct rng *rng) SP_MUST_CHECK;

/*
 * OP: the order of Olston and Pandey as SHARC compares itself with it (sections 9.1 and 9.2). It
 * knows the whole future: pages are downloaded once, in the descending order of the blur that each
 * would have if it were downloaded at the end, the mean over the observation interval of the time
 * by which its changes come after the beginning. No crawler can run it, so it is no plan_strategy.
 */

/*
 * The capture that OP makes of a site with these histories (by page), which have to reach to its
 * end, (n-1) delays. On success free with drive_release. 0 or ERR_NOMEM.
 */
int op_capture(const struct site *site, const struct change_history *histories, double delay,
	struct drive_result *ret_result) SP_MUST_CHECK;

/* Who takes part. */
struct contender {
	const char *name;
	const struct plan_strategy *plan; /* NULL: OP, which knows the future */
	bool is_bound;                    /* not a capture: what it can reach at best */
	bool discovers;                   /* the bound of captures that find their pages */
	bool eager;                       /* as plan_params: servers without a common plan */
	bool apart;                       /* is not told of groups */
};

#define CONTENDER_OP           "op"
#define CONTENDER_BOUND        "bound"        /* what no capture can expect, all pages known */
#define CONTENDER_BOUND_ONLINE "bound-online" /* by following links: sim/discovery.h */
#define CONTENDER_EAGER        ":eager"       /* behind the name of a strategy, as: */
#define CONTENDER_APART        ":apart"

/* Those of plan_strategy_find, with CONTENDER_EAGER or CONTENDER_APART or not, OP and the bounds.
 * The name is borrowed. False when there is none. */
bool contender_find(const char *name, struct contender *ret_contender);

/* Sees a capture with the changes that happened, by page; both are the trial's. */
struct drive_result;
typedef void trial_watch(void *context, size_t contender, const struct drive_result *capture,
	const struct change_history *histories);

/* What is measured of a capture. */
enum trial_measure {
	TRIAL_PAGES,              /* downloaded at least once */
	TRIAL_EXPECTED_COHERENCE, /* NAN without revisits, as the next */
	TRIAL_COHERENCE,
	TRIAL_EXPECTED_BLUR, /* per page that was downloaded, as the next */
	TRIAL_BLUR,
	TRIAL_MEASURES,
};

struct trial_values {
	double of[TRIAL_MEASURES];
};

/* Borrows the contenders. */
struct trial_params {
	struct synthetic site;
	const struct kind *kind; /* in place of site, whose n is the same; may be NULL */
	bool in_order;           /* links in the order of their numbers, not a random one */
	double delay;
	double tau;        /* 0: PLAN_TAU */
	bool fast;         /* no exact plans, whatever the size */
	double size_error; /* strategies are told n(1 + size_error); above -1 */
	bool size_unknown; /* or nothing */
	double rate_error; /* each is told with a random error of up to this factor; 0 or 1: none */
	double failure, late; /* see drive.h */
	struct fleet_kind fleet;
	unsigned requisites; /* of each page; then whole groups are measured, not pages */
	enum plan_aim aim;   /* with a limit */
	double limit;        /* share of the downloads that two legs take; 0: no limit */
	const struct contender *contenders;
	size_t contender_count;
	trial_watch *watch; /* of every capture; may be NULL */
	void *watch_context;
};

/*
 * Fills values, an entry for each contender. The generator decides everything random. 0, ERR_NOMEM,
 * ERR_LIMIT (more changes than fit) or what plan_run_new says.
 */
int trial_run(const struct trial_params *params, struct rng *rng,
	struct trial_values *values) SP_MUST_CHECK;

#endif
