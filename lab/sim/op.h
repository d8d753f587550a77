/*
 * OP: the order of Olston and Pandey as SHARC compares itself with it (sections 9.1 and 9.2). It
 * knows the whole future: pages are downloaded once, in the descending order of the blur that each
 * would have if it were downloaded at the end, the mean over the observation interval of the time
 * by which its changes come after the beginning. No crawler can run it, so it is no plan_strategy.
 */
#ifndef SIM_OP_H
#define SIM_OP_H

#include "base/err.h"
#include "plan/expect_drive.h"
#include "plan/expect_site.h"
#include "plan/measure.h"

/*
 * The capture that OP makes of a site with these histories (by page), which have to reach to its
 * end, (n-1) delays. On success free with drive_release. 0 or ERR_NOMEM.
 */
int op_capture(const struct site *site, const struct change_history *histories, double delay,
	struct drive_result *ret_result) SP_MUST_CHECK;

#endif
