/* A run, for the files that it is made of: run.c, run_limit.c. */
#ifndef PLAN_RUN_H
#define PLAN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lists.h"
#include "plan/line.h"
#include "plan/order.h"
#include "plan/plan.h"

enum page_state {
	UNKNOWN,
	WAITING, /* for its visit, its revisit or its late download */
	IN_FLIGHT,
	VISITED,  /* between its good visit and the barrier */
	DONE,     /* in all legs it takes part in */
	GIVEN_UP, /* by failure or because its leg was cut */
};

VEC_DECLARE(survivals, struct survival);
VEC_DECLARE(weights, float);
VEC_DECLARE(plan_pages, struct plan_page);

struct plan_run {
	struct plan_params params;
	const struct visit_order *visits;
	void *state; /* of the visit order */
	struct plan_site site;
	struct survivals survival; /* these three by page, of the same length */
	struct weights weight;
	struct plan_pages pages;

	enum plan_leg leg;
	bool visits_ended, cancelled;
	int error;

	struct u32_vec batch;         /* found since the last call, not yet given to the order */
	struct waiting_line returned; /* orders that were not carried out: first of all */
	struct waiting_line retries;  /* behind the other pages of the leg */
	struct waiting_line revisits;
	struct waiting_line late;
	struct u32_vec visited;        /* in the order of their visits */
	struct waiting_line unordered; /* pages the order could not take for want of memory */
	struct waiting_line hopeless;  /* visited behind the others: there is a limit */

	struct {
		double left;     /* downloads that may still begin; infinite: no limit */
		bool chosen;     /* among pages of which all were known */
		bool arranged;   /* the revisits, with this limit */
		double slack;    /* when last counted: downloads that no revisit is wanted for */
		double at_left;  /* and how many were left then */
		size_t at_visit; /* and were visited */
	} budget;

	uint32_t found, visits_done;    /* since the last look at the size */
	double clock_first, clock_last; /* first request, last response: for an unknown delay */
	size_t downloads;
	struct plan_progress progress;
};

static inline bool has_late_leg(const struct plan_run *run)
{
	return run->params.strategy->revisits && !run->params.single;
}

/* ---- run_limit.c ---- */

/* Whether a visit and a revisit of every page are more than the limit leaves. */
bool run_is_short(const struct plan_run *run);

/* At the first order: all pages are known, and the limit may be too small for them. */
void run_choose_pages(struct plan_run *run);

/* At the barrier: the order of revisits begins with those that the limit leaves room for. */
void run_limit_revisits(struct plan_run *run);

#endif
