/* What text and page of `simulate --site` share. */
#ifndef COMMANDS_SIMULATE_SITE_H
#define COMMANDS_SIMULATE_SITE_H

#include "base/err.h"
#include "base/vec.h"
#include "commands/simulate_html.h"
#include "sim/study.h"
#include "sim/trial.h"

/* Lists of strategies to compare: names separated by commas, or "all". */

VEC_DECLARE(contender_list, struct contender);

struct site_study {
	const struct simulate_options *options;
	struct contender_list contenders;
	struct study_params params;
	struct study_result *results; /* by contender */

	/* for the page only */
	struct study_result *sweep; /* by slow-down, an entry for each contender */
	struct album album;
};

void simulate_site_html(const void *study, FILE *file);

#endif
