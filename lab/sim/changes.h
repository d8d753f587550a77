/*
 * Simulated change histories: the truth about a site whose pages change as Poisson processes.
 */
#ifndef SIM_CHANGES_H
#define SIM_CHANGES_H

#include "base/err.h"
#include "base/rng.h"
#include "plan/expect.h"
#include "plan/measure.h"

/* By page. Owns its memory; free with changes_release, which is safe on a zeroed struct. */
struct changes {
	struct change_history *histories;
	double *times; /* of all pages, one page behind another */
};

/*
 * Draws the changes of every page from time 0 until a time, at the rate of its survival function.
 * 0, ERR_LIMIT for more than CHANGES_MAX changes, or ERR_NOMEM.
 */
int changes_draw(const struct site *site, double until, struct rng *rng,
	struct changes *ret_changes) SP_MUST_CHECK;

void changes_release(struct changes *c);

/* 4 GiB of times. */
#define CHANGES_MAX ((size_t)1 << 29)

#endif
