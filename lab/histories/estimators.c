#include "histories/estimators.h"

#include <math.h>
#include <stdlib.h>

#include "histories/rate_model.h"
#include "plan/gamma_poisson.h"

enum { OBSERVATIONS_MAX = 20 };

static const unsigned COUNTS[ESTIMATOR_COUNTS] = {1, 2, 3, 5, 8, 12, OBSERVATIONS_MAX};

static const char *const NAMES[ESTIMATORS] = {
	[ESTIMATOR_NAIVE] = "naive",
	[ESTIMATOR_BIAS_REDUCED] = "bias-reduced",
	[ESTIMATOR_HACS] = "hacs",
	[ESTIMATOR_INTERPOLATED] = "interpolated",
	[ESTIMATOR_GAMMA_SITE] = "gamma-site",
	[ESTIMATOR_GAMMA] = "gamma-poisson",
	[ESTIMATOR_GRID] = "directory-grid",
};

static const double P_MIN = 1e-3;

struct score {
	double log_likelihood, intervals, error, truth;
};

/* One number of observations. */
struct lesson {
	const struct visits *visits;
	const struct rate_model *model;
	size_t count;              /* intervals to learn from */
	struct u32_vec pages;      /* that have more */
	struct u32_vec classes;    /* theirs */
	struct rate_row *logs;     /* theirs */
	struct rate_row *priors;   /* by class */
	struct rate_gamma *gammas; /* by class */
	struct score scores[ESTIMATORS];
};

/* What a page's visits taught. */
struct learned {
	double rates[ESTIMATORS];
	struct rate_gamma site, directory;
	struct rate_row posterior;
};

static void learn(const struct lesson *l, size_t i, struct learned *ret)
{
	const struct visits *v = l->visits;
	uint32_t page = l->pages.ptr[i], class = l->classes.ptr[i];
	struct rate_interval seen[OBSERVATIONS_MAX];
	struct rate_tally t;
	double last;

	*ret = (struct learned){.site = l->gammas[0], .directory = l->gammas[class]};
	for (size_t k = 0; k < l->count; k++) {
		seen[k] = visits_interval(v, page, k + 1);
		rate_gamma_observe(&ret->site, seen[k]);
		rate_gamma_observe(&ret->directory, seen[k]);
	}
	t = rate_tally_of(seen, l->count);
	(void)rate_naive(&t, &ret->rates[ESTIMATOR_NAIVE]);
	(void)rate_bias_reduced(&t, &ret->rates[ESTIMATOR_BIAS_REDUCED]);
	(void)rate_hacs(seen, l->count, &ret->rates[ESTIMATOR_HACS]);
	(void)rate_interpolate(v->list + v->from[page], l->count + 1, seen, &last);
	(void)rate_hacs(seen, l->count, &ret->rates[ESTIMATOR_INTERPOLATED]);
	rate_grid_posterior(&l->priors[class], &l->logs[i], &ret->posterior);
	ret->rates[ESTIMATOR_GAMMA_SITE] = rate_gamma_mean(ret->site);
	ret->rates[ESTIMATOR_GAMMA] = rate_gamma_mean(ret->directory);
	ret->rates[ESTIMATOR_GRID] = rate_grid_mean(&l->model->grid, &ret->posterior);
}

static double within(const struct lesson *l, const struct learned *k, int e, double length)
{
	switch (e) {
	case ESTIMATOR_GAMMA_SITE:
		return 1 - rate_gamma_survival(k->site, length);
	case ESTIMATOR_GAMMA:
		return 1 - rate_gamma_survival(k->directory, length);
	case ESTIMATOR_GRID:
		return rate_grid_within(&l->model->grid, &k->posterior, length);
	default:
		return -expm1(-k->rates[e] * length);
	}
}

static void score(struct lesson *l, size_t i)
{
	const struct visits *v = l->visits;
	uint32_t page = l->pages.ptr[i];
	size_t visits = v->from[page + 1] - v->from[page];
	double last = v->list[v->from[page] + l->count].time;
	struct change_history events = history_events(v->history, v->numbers[page]);
	double truth = (double)(change_history_until(events, v->end) -
				change_history_until(events, last)) /
		       (v->end - last);
	struct learned learned;

	learn(l, i, &learned);
	for (int e = 0; e < ESTIMATORS; e++) {
		struct score *s = &l->scores[e];

		for (size_t k = l->count + 1; k < visits; k++) {
			struct rate_interval held = visits_interval(v, page, k);
			double p = within(l, &learned, e, held.length);

			p = fmin(fmax(p, P_MIN), 1 - P_MIN);
			s->log_likelihood += held.changed ? log(p) : log1p(-p);
			s->intervals++;
		}
		s->error += fabs(learned.rates[e] - truth);
		s->truth += truth;
	}
}

static int choose_pages(struct lesson *l)
{
	const struct visits *v = l->visits;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < v->pages; i++) {
		if (v->from[i + 1] - v->from[i] < l->count + 2)
			continue;
		rc = u32_vec_push(&l->pages, i);
		if (rc == 0)
			rc = u32_vec_push(&l->classes, l->model->directories.classes.ptr[i]);
	}
	return rc;
}

static int fit(struct lesson *l)
{
	size_t classes = l->model->directories.parents.len;

	l->logs = calloc(l->pages.len + 1, sizeof *l->logs);
	l->priors = calloc(classes, sizeof *l->priors);
	l->gammas = calloc(classes, sizeof *l->gammas);
	if (!l->logs || !l->priors || !l->gammas)
		return ERR_NOMEM;
	for (size_t i = 0; i < l->pages.len; i++)
		for (size_t k = 1; k <= l->count; k++)
			rate_grid_observe(&l->model->grid, &l->logs[i],
				visits_interval(l->visits, l->pages.ptr[i], k));
	return rate_model_fit(l->model,
		&(struct rate_tree){
			.pages = l->pages.len, .page_classes = l->classes.ptr, .logs = l->logs},
		l->priors, l->gammas);
}

static int run_lesson(struct lesson *l, struct estimator_row *rows)
{
	int rc = choose_pages(l);

	if (rc == 0)
		rc = fit(l);
	for (size_t i = 0; rc == 0 && i < l->pages.len; i++)
		score(l, i);
	for (int e = 0; rc == 0 && e < ESTIMATORS; e++) {
		const struct score *s = &l->scores[e];

		rows[e] = (struct estimator_row){
			.estimator = NAMES[e],
			.observations = (unsigned)l->count,
			.log_likelihood = s->intervals > 0 ? s->log_likelihood / s->intervals : NAN,
			.rate_error = s->truth > 0 ? s->error / s->truth : NAN,
		};
	}
	u32_vec_release(&l->pages);
	u32_vec_release(&l->classes);
	free(l->logs);
	free(l->priors);
	free(l->gammas);
	return rc;
}

int estimators_evaluate(const struct visits *visits, struct estimators *ret)
{
	struct rate_model model;
	int rc = rate_model_init(&model, visits);

	for (size_t i = 0; rc == 0 && i < ESTIMATOR_COUNTS; i++) {
		struct lesson l = {.visits = visits, .model = &model, .count = COUNTS[i]};

		rc = run_lesson(&l, &ret->rows[i * ESTIMATORS]);
	}
	rate_model_release(&model);
	return rc;
}
