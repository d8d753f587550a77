#include "histories/forecast.h"

#include <math.h>
#include <stdlib.h>

#include "plan/gamma_poisson.h"

enum { FIT_EVERY = 4 };

static int allocate(struct forecast *f, size_t classes)
{
	size_t pages = f->visits->pages;
	bool ok = true;

	f->logs = calloc(pages, sizeof *f->logs);
	f->seen = calloc(pages, sizeof *f->seen);
	f->priors = calloc(classes, sizeof *f->priors);
	f->gammas = calloc(classes, sizeof *f->gammas);
	f->intervals = calloc(f->visits->from[pages] + 1, sizeof *f->intervals);
	for (int m = 0; m < FORECAST_MODELS; m++) {
		f->p[m] = calloc(pages, sizeof *f->p[m]);
		ok = ok && f->p[m];
	}
	return ok && f->logs && f->seen && f->priors && f->gammas && f->intervals ? 0 : ERR_NOMEM;
}

int forecast_init(struct forecast *f, const struct visits *visits)
{
	int rc;

	*f = (struct forecast){.visits = visits};
	rc = rate_model_init(&f->model, visits);
	return rc ? rc : allocate(f, f->model.directories.parents.len);
}

void forecast_release(struct forecast *f)
{
	rate_model_release(&f->model);
	free(f->logs);
	free(f->seen);
	free(f->priors);
	free(f->gammas);
	free(f->intervals);
	for (int m = 0; m < FORECAST_MODELS; m++)
		free(f->p[m]);
	*f = (struct forecast){0};
}

static void observe(struct forecast *f, size_t page, double t)
{
	const struct visits *v = f->visits;
	struct rate_interval *intervals = f->intervals + v->from[page];
	size_t until = visits_until(v, page, t);

	for (; f->seen[page] < until; f->seen[page]++) {
		size_t i = f->seen[page];

		if (i == 0)
			continue;
		intervals[i - 1] = visits_interval(v, page, i);
		rate_grid_observe(&f->model.grid, &f->logs[page], intervals[i - 1]);
	}
}

static void predict(struct forecast *f, size_t page, double horizon)
{
	const struct rate_interval *intervals = f->intervals + f->visits->from[page];
	size_t count = f->seen[page] > 0 ? f->seen[page] - 1 : 0;
	uint32_t class = f->model.directories.classes.ptr[page];
	struct rate_gamma g = f->gammas[class];
	struct rate_row posterior;
	double rate = 0;

	(void)rate_hacs(intervals, count, &rate);
	f->p[FORECAST_ALL_HISTORY][page] = -expm1(-rate * horizon);
	for (size_t i = 0; i < count; i++)
		rate_gamma_observe(&g, intervals[i]);
	f->p[FORECAST_GAMMA][page] = 1 - rate_gamma_survival(g, horizon);
	rate_grid_posterior(&f->priors[class], &f->logs[page], &posterior);
	f->p[FORECAST_GRID][page] = rate_grid_within(&f->model.grid, &posterior, horizon);
}

int forecast_advance(struct forecast *f, double t, double horizon)
{
	struct rate_tree pages = {
		.pages = f->visits->pages,
		.page_classes = f->model.directories.classes.ptr,
		.logs = f->logs,
	};
	int rc = 0;

	for (size_t i = 0; i < pages.pages; i++)
		observe(f, i, t);
	if (f->advances++ % FIT_EVERY == 0)
		rc = rate_model_fit(&f->model, &pages, f->priors, f->gammas);
	for (size_t i = 0; rc == 0 && i < pages.pages; i++)
		predict(f, i, horizon);
	return rc;
}
