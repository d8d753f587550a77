/*
 * A capture in virtual time: a plan_run driven over a site that is known beforehand, by the same
 * calls that a crawler makes. A download takes no time and the next one begins a delay later; one
 * is under way at a time. None fails and no link comes late, unless that is asked for.
 *
 * Where the papers let one page hold both slots 0 (strategy->shared_slot), the first revisit begins
 * at the instant of the last visit; else a delay after it. With a limit of downloads
 * (plan_params.downloads) both count, and the capture ends when the last of them is made.
 *
 * With several servers (struct fleet) each has its own delay, and one of each is under way at a
 * time. Their first revisits begin together at the barrier.
 */
#ifndef PLAN_EXPECT_DRIVE_H
#define PLAN_EXPECT_DRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"
#include "plan/expect_site.h"
#include "plan/plan.h"

/* What may go wrong. Zeroed: nothing does. */
struct drive_faults {
	struct rng *rng; /* borrowed; may be NULL when nothing goes wrong */
	double failure;  /* probability that a download fails; plan_run then tries again */
	double late;     /* probability that a link is not there yet at the visit of its page */
};

enum { FLEET_MAX = 8 };

/* Servers with different pauses, and which page is on which. Zeroed: one server. */
struct fleet {
	size_t servers;
	double delays[FLEET_MAX];
	uint32_t *server_of; /* by page */
};

/* Borrows everything. */
struct drive_params {
	const struct site *site;
	const struct survival *told; /* what the strategy takes for true; NULL: the site's own */
	struct plan_params plan; /* delay > 0; size 0: the number of pages that can be reached */
	bool size_unknown;       /* strategies are told no size */
	const uint32_t *seeds;   /* NULL: all pages, in their order */
	size_t seed_count;
	struct drive_faults faults;
	const struct fleet *fleet; /* NULL, or 0 servers: one server, with the plan's delay */
};

/* By page: arrays of site->n. Times begin with 0 at the first visit; NAN: never downloaded. */
struct drive_result {
	struct u32_vec visits; /* in the order of the downloads */
	struct u32_vec revisits;
	struct u32_vec late;      /* found too late and downloaded once; visited_at has when */
	struct u32_vec unreached; /* from the seeds, in the order of the site */
	double *visited_at;
	double *revisited_at;
	bool *hopeless; /* according to the order for its visit */
	bool single;    /* the strategy has no revisits */
	double delay;
	double end; /* of the last download, good or not */
};

/*
 * Seeds are discovered first, and the links of a page at its visit, or at its revisit those that
 * were not there yet; so are its requisites. A strategy that wants all pages beforehand is given
 * those that can be reached, in breadth-first order. On success free with drive_release. 0, or
 * ERR_NOMEM or what plan_run_new says, in err too.
 */
int drive(const struct drive_params *params, struct drive_result *ret_result,
	struct err *err) SP_MUST_CHECK;

/* For whoever makes one: nothing was downloaded yet. 0 or ERR_NOMEM; release it in any case. */
int drive_result_init(struct drive_result *r, size_t n, bool single, double delay) SP_MUST_CHECK;

void drive_release(struct drive_result *r);

/*
 * Positions in units of the delay: with revisits the last visit is at 0, without them the first.
 * The page must have been downloaded in that leg.
 */
int64_t drive_visit_slot(const struct drive_result *r, uint32_t page);
int64_t drive_revisit_slot(const struct drive_result *r, uint32_t page);

#endif
