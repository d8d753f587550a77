/*
 * An experiment: many runs (trial.h), what they give on average and how sure that is. Each run has
 * a random generator of its own, made from the seed and its number, so the result is the same for
 * any number of threads.
 */
#ifndef SIM_STUDY_H
#define SIM_STUDY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sim/trial.h"

/* Over the runs. NAN where it does not exist. */
struct estimate {
	double mean;
	double error; /* standard error of the mean; NAN for one run */
};

/* Of one contender. */
struct study_result {
	struct estimate of[TRIAL_MEASURES];
};

/* Borrows everything. */
struct study_params {
	struct trial_params trial; /* watch sees the first run only, in any thread */
	unsigned runs;             /* at least 1 */
	unsigned threads;          /* 0: one for each processor */
	uint64_t seed;
	void (*report)(void *context, size_t runs_done); /* never two at a time; may be NULL */
	void *context;
	struct trial_values *values; /* run by run, an entry for each contender; may be NULL */
};

/* Fills results, an entry for each contender. 0, or an error with its text in err. */
int study_run(const struct study_params *params, struct study_result *results,
	struct err *err) SP_MUST_CHECK;

#endif
