/* What our forecasts of change rates share: the grid of rates, and directories as classes. */
#ifndef HISTORIES_RATE_MODEL_H
#define HISTORIES_RATE_MODEL_H

#include "base/api.h"
#include "histories/visits.h"
#include "plan/rate_estimate.h"
#include "plan/rate_grid.h"

struct rate_model {
	struct rate_grid grid;          /* rates per day */
	struct directories directories; /* of the pages of the visits */
};

/* Does not move afterwards. 0 or ERR_NOMEM; release after both. */
int rate_model_init(struct rate_model *m, const struct visits *visits) SP_MUST_CHECK;
void rate_model_release(struct rate_model *m);

/* Fits both kinds of priors; the tree's classes are filled in here. 0 or ERR_NOMEM. */
int rate_model_fit(const struct rate_model *m, const struct rate_tree *pages,
	struct rate_row *ret_priors, struct rate_gamma *ret_gammas) SP_MUST_CHECK;

#endif
