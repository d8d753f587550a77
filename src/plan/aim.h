/* What a limited capture is spent on, for plan_run: see enum plan_aim. */
#ifndef PLAN_AIM_H
#define PLAN_AIM_H

#include <stddef.h>
#include <stdint.h>

#include "plan/order.h"
#include "plan/plan.h"

/*
 * How many of the visited pages the aim would revisit if the revisits began now, at the pace of the
 * visits. With PLAN_COMPLETE none: it never ends the visits. O(n).
 */
size_t aim_wanted(enum plan_aim aim, const struct plan_site *site, const uint32_t *visited,
	size_t n, double now);

/*
 * Chooses among pages of which all are known: the first ret_share->visits of the array are those to
 * be visited. twice: there are revisits, else downloads < n. 0 or ERR_NOMEM.
 */
int aim_choose(const struct plan_params *params, const struct plan_site *site, bool twice,
	uint32_t *pages, size_t n, struct plan_share *ret_share);

#endif
