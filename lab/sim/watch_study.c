#include "sim/watch_study.h"

#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "plan/refresh_allocate.h"

/* What one run gave. */
struct outcome {
	struct watch_result *results; /* by contender */
	struct watch_result bound;
	double pages, optimum;
	struct err err;
};

struct study {
	const struct watch_study_params *params;
	struct outcome *outcomes; /* by run */
};

/* The best that periodic looks can expect where rates are constant. */
static int find_optimum(const struct watch_site *site, double budget, double *ret)
{
	struct refresh_page *pages = calloc(site->n + 1, sizeof *pages);
	double *f = calloc(site->n + 1, sizeof *f);
	int rc = pages && f ? 0 : ERR_NOMEM;

	*ret = NAN;
	for (size_t i = 0; rc == 0 && site->rates && i < site->n; i++)
		pages[i] = (struct refresh_page){site->rates[i], 1};
	if (rc == 0 && site->rates && site->n > 0) {
		(void)refresh_optimum(REFRESH_FRESH_PERIODIC, pages, site->n, budget, f);
		*ret = refresh_total(REFRESH_FRESH_PERIODIC, pages, site->n, f) / (double)site->n;
	}
	free(pages);
	free(f);
	return rc;
}

static struct watch_params params_of(
	const struct watch_study_params *p, const struct watch_world *world, size_t contender)
{
	struct watch_params w = {.policy = p->contenders[contender].policy,
		.budget = p->budget * (double)world->site.n,
		.start = world->start,
		.end = world->start + p->days,
		.from = world->start + p->days / 2,
		.grid = p->grid,
		.learned = p->learned,
		.past = p->past,
		.past_period = p->past_period,
		.more = p->contenders[contender].more};

	if (!p->learned) /* nothing is to be found out */
		w.more.explore = w.more.audit = -1;
	return w;
}

static int run_world(
	const struct watch_study_params *p, const struct watch_world *world, struct outcome *o)
{
	struct watch_params w = params_of(p, world, 0);
	int rc = watch_bound(&world->site, &w, &o->bound);

	o->pages = (double)world->site.n;
	if (rc == 0)
		rc = find_optimum(&world->site, w.budget, &o->optimum);
	for (size_t i = 0; rc == 0 && i < p->contender_count; i++) {
		w = params_of(p, world, i);
		w.more.seed = p->seed;
		rc = watch_run(&world->site, &w, &o->results[i], &o->err);
	}
	return err_code(&o->err, rc);
}

static int one_run(void *context, size_t run)
{
	struct study *s = context;
	struct outcome *o = &s->outcomes[run];
	struct watch_world world = {0};
	int rc;

	o->results = calloc(s->params->contender_count, sizeof *o->results);
	rc = o->results ? s->params->make(s->params->context, run, &world) : ERR_NOMEM;
	if (rc == 0)
		rc = run_world(s->params, &world, o);
	s->params->release(&world);
	return err_code(&o->err, rc);
}

/* Of a number that each run gives; runs without one (all pages were removed) do not count. */
static struct estimate estimate(const struct study *s,
	double (*number)(const struct outcome *o, size_t contender, size_t measure),
	size_t contender, size_t measure)
{
	double n = 0, mean = 0, squares = 0;

	for (size_t i = 0; i < s->params->runs; i++) {
		double x = number(&s->outcomes[i], contender, measure), off = x - mean;

		if (isnan(x))
			continue;
		mean += off / ++n; /* Welford, 1962 */
		squares += off * (x - mean);
	}
	return (struct estimate){n > 0 ? mean : NAN, n > 1 ? sqrt(squares / (n - 1) / n) : NAN};
}

static double result_of(const struct outcome *o, size_t contender, size_t measure)
{
	return o->results[contender].of[measure];
}

static double ahead_of(const struct outcome *o, size_t contender, size_t measure)
{
	return o->results[contender].of[measure] - o->results[0].of[measure];
}

static double bound_of(const struct outcome *o, size_t contender, size_t measure)
{
	(void)contender;
	return o->bound.of[measure];
}

static double optimum_of(const struct outcome *o, size_t contender, size_t measure)
{
	(void)contender;
	(void)measure;
	return o->optimum;
}

static double pages_of(const struct outcome *o, size_t contender, size_t measure)
{
	(void)contender;
	(void)measure;
	return o->pages;
}

static double claimed_of(const struct outcome *o, size_t contender, size_t measure)
{
	(void)measure;
	return o->results[contender].claimed;
}

static double claimed_variance(const struct outcome *o, size_t contender, size_t measure)
{
	double error = o->results[contender].claimed_error;

	(void)measure;
	return error * error;
}

static int summarize(const struct study *s, struct watch_study *ret)
{
	struct watch_study_row *rows = calloc(s->params->contender_count, sizeof *rows);

	if (!rows)
		return ERR_NOMEM;
	*ret = (struct watch_study){.rows = rows, .optimum = estimate(s, optimum_of, 0, 0)};
	ret->pages = estimate(s, pages_of, 0, 0).mean;
	for (size_t m = 0; m < WATCH_MEASURES; m++)
		ret->bound[m] = estimate(s, bound_of, 0, m);
	for (size_t i = 0; i < s->params->contender_count; i++) {
		for (size_t m = 0; m < WATCH_MEASURES; m++) {
			rows[i].of[m] = estimate(s, result_of, i, m);
			rows[i].ahead[m] = estimate(s, ahead_of, i, m);
		}
		rows[i].claimed.mean = estimate(s, claimed_of, i, 0).mean;
		rows[i].claimed.error =
			sqrt(estimate(s, claimed_variance, i, 0).mean / (double)s->params->runs);
	}
	return 0;
}

int watch_study_run(
	const struct watch_study_params *params, struct watch_study *ret, struct err *err)
{
	struct study s = {.params = params};
	struct parallel loop = {.threads = params->threads,
		.count = params->runs,
		.work = one_run,
		.context = &s,
		.report = params->report,
		.report_context = params->report_context};
	int rc;

	s.outcomes = calloc(params->runs, sizeof *s.outcomes);
	rc = s.outcomes ? parallel_run(&loop) : ERR_NOMEM;
	if (rc == 0)
		rc = summarize(&s, ret);
	for (size_t i = 0; s.outcomes && i < params->runs; i++) {
		if (rc && s.outcomes[i].err.code == rc)
			(void)err_copy(err, &s.outcomes[i].err);
		free(s.outcomes[i].results);
	}
	free(s.outcomes);
	return err_code(err, rc);
}

void watch_study_release(struct watch_study *s)
{
	free(s->rows);
	s->rows = NULL;
}
