/* plan --expect --time-limit: what each aim makes of a limit. */
#ifndef CMD_EXPECT_LIMIT_H
#define CMD_EXPECT_LIMIT_H

#include "cmd/expect.h"

/* A row for each delay. 0 or as json_finish; or an error of the planner in err. */
int expect_limit(const struct expect_params *params, const double *delays, size_t count,
	struct err *err) SP_MUST_CHECK;

#endif
