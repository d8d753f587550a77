#include "sim/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "plan/measure.h"
#include "sim/changes.h"

struct study {
	const struct study_params *params;
	struct trial_values *values; /* run by run, an entry for each contender */
};

static void stream_init(struct rng *rng, uint64_t seed, uint64_t run)
{
	uint64_t state = seed;

	state = rng_splitmix64(&state) + run;
	rng_init(rng, rng_splitmix64(&state));
}

static int run_one(void *context, size_t run)
{
	const struct study *s = context;
	struct trial_params trial = s->params->trial;
	struct rng rng;

	if (run > 0)
		trial.watch = NULL;
	stream_init(&rng, s->params->seed, run);
	return trial_run(&trial, &rng, s->values + run * trial.contender_count);
}

/* In the order of the runs, whoever did them. */
static struct estimate estimate(const struct study *s, size_t contender, enum trial_measure m)
{
	size_t step = s->params->trial.contender_count;
	double runs = s->params->runs, mean;
	struct sum total = {0}, squares = {0};

	for (size_t r = 0; r < s->params->runs; r++)
		sum_add(&total, s->values[r * step + contender].of[m]);
	mean = sum_value(&total) / runs;
	for (size_t r = 0; r < s->params->runs; r++) {
		double off = s->values[r * step + contender].of[m] - mean;

		sum_add(&squares, off * off);
	}
	return (struct estimate){
		.mean = mean,
		.error = runs > 1 ? sqrt(sum_value(&squares) / (runs - 1) / runs) : NAN,
	};
}

int study_run(const struct study_params *params, struct study_result *results, struct err *err)
{
	size_t contenders = params->trial.contender_count;
	struct study s = {
		.params = params,
		.values = calloc((size_t)params->runs * contenders + 1, sizeof *s.values),
	};
	struct parallel loop = {.threads = params->threads,
		.count = params->runs,
		.work = run_one,
		.context = &s,
		.report = params->report,
		.report_context = params->context};
	int rc = s.values ? parallel_run(&loop) : ERR_NOMEM;

	for (size_t i = 0; rc == 0 && i < contenders; i++)
		for (unsigned m = 0; m < TRIAL_MEASURES; m++)
			results[i].of[m] = estimate(&s, i, m);
	if (rc == 0 && params->values)
		memcpy(params->values, s.values, params->runs * contenders * sizeof *s.values);
	free(s.values);
	if (rc == ERR_LIMIT)
		return err_set(err, rc,
			"more than %zu changes in a run (fewer pages, a smaller delay or a larger "
			"skew have fewer)",
			CHANGES_MAX);
	return err_code(err, rc);
}
