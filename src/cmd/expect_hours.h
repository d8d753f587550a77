/* plan --expect --hours: what a capture that does not fit into the hours gives, either way. */
#ifndef CMD_EXPECT_HOURS_H
#define CMD_EXPECT_HOURS_H

#include "cmd/expect.h"

/* A row for each delay. 0 or as json_finish; or an error in err: of the hours or the planner. */
int expect_hours(const struct expect_params *params, const double *delays, size_t count,
	struct err *err) SP_MUST_CHECK;

#endif
