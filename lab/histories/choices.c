#include "histories/choices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/err.h"
#include "base/rng.h"
#include "histories/rate_model.h"
#include "histories/visits.h"
#include "plan/gamma_poisson.h"

struct place {
	double key; /* ascending */
	uint64_t tie;
	size_t page;
};

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->tie > b->tie) - (a->tie < b->tie);
}

static double average_precision(
	const struct ranked *pages, const struct place *expected, size_t count)
{
	double sum = 0, due = 0;

	for (size_t k = 0; k < count; k++)
		if (pages[expected[k].page].due) {
			due++;
			sum += due / (double)(k + 1);
		}
	return due > 0 ? sum / due : NAN;
}

/* met[i]: how many of the two orders have come past page i. */
static double weighted(
	const struct place *expected, const struct place *real, size_t count, unsigned char *met)
{
	double common = 0, sum = 0, weights = 0;

	for (size_t k = 0; k < count; k++) {
		double weight = 1 / log2((double)k + 2);

		common += met[expected[k].page]++ > 0;
		common += met[real[k].page]++ > 0;
		sum += weight * common / (double)(k + 1);
		weights += weight;
	}
	return count > 0 ? sum / weights : 0;
}

int ranking_measure(
	const struct ranked *pages, size_t count, struct rng *randoms, struct ranking_value *ret)
{
	struct place *expected = calloc(2 * count + 1, sizeof *expected), *real = NULL;
	unsigned char *met = calloc(count + 1, 1);
	int rc = expected && met ? 0 : ERR_NOMEM;

	if (rc == 0) {
		real = expected + count;
		for (size_t i = 0; i < count; i++) {
			expected[i] = (struct place){-pages[i].score, rng_u64(randoms), i};
			real[i] = (struct place){pages[i].change, rng_u64(randoms), i};
		}
		qsort(expected, count, sizeof *expected, compare);
		qsort(real, count, sizeof *real, compare);
		ret->average_precision = average_precision(pages, expected, count);
		ret->weighted_p_at_k = weighted(expected, real, count, met);
	}
	free(expected);
	free(met);
	return rc;
}

struct ranking_value ranking_random(size_t count, size_t due)
{
	double sum = 0, weights = 0, precision = 0;
	double more = count > 1 ? ((double)due - 1) / ((double)count - 1) : 0;

	for (size_t k = 1; k <= count; k++) {
		double weight = 1 / log2((double)k + 1);

		sum += weight * (double)k / (double)count;
		weights += weight;
		precision += (1 + (double)(k - 1) * more) / (double)k;
	}
	return (struct ranking_value){
		.weighted_p_at_k = count > 0 ? sum / weights : 0,
		.average_precision = due > 0 ? precision / (double)count : NAN,
	};
}

/*
 * Our own forecasts while time goes on: for every page the probability that it changes within the
 * horizon, from all its visits so far, by several models. Priors are fitted again every fourth
 * time, to what is known then and to nothing later.
 */

enum forecast_model {
	FORECAST_ALL_HISTORY, /* eq. 5 (4 where all changed) over all visits: no prior */
	FORECAST_GAMMA,       /* Gamma-Poisson with directory priors, plan/gamma_poisson.h */
	FORECAST_GRID,        /* the directory tree's priors on a grid, plan/rate_grid.h */
	FORECAST_MODELS,
};

struct forecast {
	const struct visits *visits; /* borrowed */
	size_t advances;
	struct rate_model model;
	struct rate_row *logs; /* by page */
	size_t *seen;          /* by page: visits that are in logs */
	struct rate_row *priors;
	struct rate_gamma *gammas; /* both by class */
	struct rate_interval *intervals;
	double *p[FORECAST_MODELS]; /* by page */
};

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

/* 0 or ERR_NOMEM; forecast_release is safe after both. */
static int forecast_init(struct forecast *f, const struct visits *visits)
{
	int rc;

	*f = (struct forecast){.visits = visits};
	rc = rate_model_init(&f->model, visits);
	return rc ? rc : allocate(f, f->model.directories.parents.len);
}

static void forecast_release(struct forecast *f)
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

/* Learns from the visits up to t, which must not be before that of the last call. 0, ERR_NOMEM. */
static int forecast_advance(struct forecast *f, double t, double horizon)
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

enum { THRESHOLDS = 1001 };

static const double P_MIN = 1e-3;

static const char *const NAMES[CHOICE_POLICIES] = {
	[CHOICE_HACS] = "hacs",
	[CHOICE_RANDOM] = "random",
	[CHOICE_BRUTE_FORCE] = "brute-force",
	[CHOICE_LAST_OBS] = "last-obs",
	[CHOICE_ALL_HISTORY] = "all-history",
	[CHOICE_GAMMA] = "gamma-poisson",
	[CHOICE_GRID] = "directory-grid",
};

/* Sums over weeks at one threshold. */
struct at_threshold {
	double selected, hits;        /* micro */
	double precision, recall, f1; /* macro */
};

/* Sums over weeks of a policy and a window. */
struct tally {
	struct at_threshold at[THRESHOLDS];
	double due;                 /* pages that change */
	double weeks, due_weeks;    /* all, and those with pages that change */
	double weighted, precision; /* of rankings */
	double loss, forecasts;
};

struct evaluation {
	const struct visits *visits;
	struct forecast forecast;
	struct rng randoms;
	struct tally *tallies; /* by window and policy */
	uint32_t *candidates;
	size_t count;
	struct ranked *ranked; /* by candidate */
	double *hacs;          /* by candidate */
	struct rate_interval *room;
};

static double f1_of(double precision, double recall)
{
	return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

static void add_selection(struct at_threshold *a, double selected, double hits, double due)
{
	double precision = selected > 0 ? hits / selected : 0;

	a->selected += selected;
	a->hits += hits;
	if (due > 0) {
		a->precision += precision;
		a->recall += hits / due;
		a->f1 += f1_of(precision, hits / due);
	}
}

/* Everything at or above each threshold; the same number at random into another tally. */
static void add_thresholds(struct tally *t, struct tally *random, const struct ranked *pages,
	size_t count, const double *p)
{
	double selected[THRESHOLDS] = {0}, hits[THRESHOLDS] = {0}, due = 0, all = 0, met = 0;

	for (size_t i = 0; i < count; i++) {
		size_t k = (size_t)(fmin(fmax(p[i], 0), 1) * (THRESHOLDS - 1));

		selected[k]++;
		hits[k] += pages[i].due;
		due += pages[i].due;
	}
	for (size_t k = THRESHOLDS; k-- > 0;) {
		all += selected[k];
		met += hits[k];
		add_selection(&t->at[k], all, met, due);
		if (random)
			add_selection(&random->at[k], all, all * due / (double)count, due);
	}
	t->due += due;
	if (random)
		random->due += due;
}

static void add_loss(struct tally *t, const struct ranked *pages, size_t count, const double *p)
{
	for (size_t i = 0; i < count; i++) {
		double q = fmin(fmax(p[i], P_MIN), 1 - P_MIN);

		t->loss -= pages[i].due ? log(q) : log1p(-q);
	}
	t->forecasts += (double)count;
}

static void add_ranking(struct tally *t, struct ranking_value value)
{
	t->weeks++;
	t->weighted += value.weighted_p_at_k;
	if (!isnan(value.average_precision)) {
		t->due_weeks++;
		t->precision += value.average_precision;
	}
}

/* HACS as printed, from the visits in [t - window, t]. */
static double hacs(struct evaluation *e, size_t page, double t, double window)
{
	const struct visits *v = e->visits;
	size_t end = visits_until(v, page, t), begin = end;
	double rate = 0, last = t;
	const struct rate_visit *list = v->list + v->from[page];

	while (begin > 0 && list[begin - 1].time >= t - window)
		begin--;
	if (!rate_hacs(e->room, rate_interpolate(list + begin, end - begin, e->room, &last), &rate))
		return 0;
	return -expm1(-rate * (t + VISITS_HORIZON - last));
}

static void find_candidates(struct evaluation *e, double t, double window)
{
	const struct visits *v = e->visits;

	e->count = 0;
	for (uint32_t i = 0; i < v->pages; i++) {
		size_t until = visits_until(v, i, t);
		double change;

		if (until == 0 || v->list[v->from[i] + until - 1].time < t - window)
			continue;
		change = visits_next_change(v, i, t);
		e->ranked[e->count] = (struct ranked){
			.change = change,
			.due = change <= t + VISITS_HORIZON,
		};
		e->hacs[e->count] = hacs(e, i, t, window);
		e->candidates[e->count++] = i;
	}
}

/* A policy that gives probabilities. */
static int add_forecast(
	struct evaluation *e, struct tally *t, struct tally *random, const double *p)
{
	struct ranking_value value;
	int rc;

	for (size_t i = 0; i < e->count; i++)
		e->ranked[i].score = p[i];
	rc = ranking_measure(e->ranked, e->count, &e->randoms, &value);
	if (rc)
		return rc;
	add_ranking(t, value);
	add_thresholds(t, random, e->ranked, e->count, p);
	add_loss(t, e->ranked, e->count, p);
	return 0;
}

static int add_last_obs(struct evaluation *e, struct tally *t, double now)
{
	const struct visits *v = e->visits;
	struct ranking_value value;
	int rc;

	for (size_t i = 0; i < e->count; i++) {
		uint32_t page = e->candidates[i];

		e->ranked[i].score =
			now - v->list[v->from[page] + visits_until(v, page, now) - 1].time;
	}
	rc = ranking_measure(e->ranked, e->count, &e->randoms, &value);
	if (rc == 0)
		add_ranking(t, value);
	return rc;
}

/* One week and one window. */
static int evaluate(struct evaluation *e, struct tally *tallies, double t, double window)
{
	static const struct {
		enum choice_policy policy;
		enum forecast_model model;
	} OURS[] = {
		{CHOICE_ALL_HISTORY, FORECAST_ALL_HISTORY},
		{CHOICE_GAMMA, FORECAST_GAMMA},
		{CHOICE_GRID, FORECAST_GRID},
	};
	size_t due = 0;
	int rc;

	find_candidates(e, t, window);
	if (e->count == 0)
		return 0;
	for (size_t i = 0; i < e->count; i++)
		due += e->ranked[i].due;
	add_ranking(&tallies[CHOICE_RANDOM], ranking_random(e->count, due));
	rc = add_forecast(e, &tallies[CHOICE_HACS], &tallies[CHOICE_RANDOM], e->hacs);
	if (rc == 0)
		rc = add_last_obs(e, &tallies[CHOICE_LAST_OBS], t);
	for (size_t m = 0; rc == 0 && m < sizeof OURS / sizeof OURS[0]; m++) {
		for (size_t i = 0; i < e->count; i++)
			e->hacs[i] = e->forecast.p[OURS[m].model][e->candidates[i]];
		rc = add_forecast(e, &tallies[OURS[m].policy], NULL, e->hacs);
	}
	return rc;
}

static double f1_at(const struct tally *t, size_t k)
{
	const struct at_threshold *a = &t->at[k];

	return a->hits > 0 ? 2 * a->hits / (a->selected + t->due) : 0;
}

static size_t best_threshold(const struct tally *t)
{
	size_t best = 0;

	for (size_t k = 1; k < THRESHOLDS; k++)
		if (f1_at(t, k) > f1_at(t, best))
			best = k;
	return best;
}

static void set_selection(struct choice_row *row, const struct tally *t, size_t k)
{
	const struct at_threshold *a = &t->at[k];

	row->threshold = (double)k / (THRESHOLDS - 1);
	row->precision = a->selected > 0 ? a->hits / a->selected : 0;
	row->recall = t->due > 0 ? a->hits / t->due : NAN;
	row->f1 = f1_at(t, k);
	row->macro_precision = a->precision / t->due_weeks;
	row->macro_recall = a->recall / t->due_weeks;
	row->macro_f1 = a->f1 / t->due_weeks;
}

static struct choice_row summarise(
	const struct tally *tallies, enum choice_policy policy, unsigned weeks)
{
	/* Selecting everything is HACS at threshold 0, in an order that says nothing. */
	bool brute = policy == CHOICE_BRUTE_FORCE;
	const struct tally *t = &tallies[brute ? CHOICE_RANDOM : policy];
	struct choice_row row = {
		NAMES[policy], weeks, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

	if (policy == CHOICE_RANDOM)
		set_selection(&row, t, best_threshold(&tallies[CHOICE_HACS]));
	else if (policy != CHOICE_LAST_OBS)
		set_selection(&row, t, brute ? 0 : best_threshold(t));
	row.weighted_p_at_k = t->weighted / t->weeks;
	row.average_precision = t->precision / t->due_weeks;
	row.log_loss = t->forecasts > 0 ? t->loss / t->forecasts : NAN;
	return row;
}

static void summarise_all(const struct evaluation *e, struct choices *ret)
{
	struct choice_row *row = ret->rows;

	for (unsigned w = 0; w < CHOICES_WINDOWS; w++)
		for (int p = 0; p < CHOICE_POLICIES; p++)
			*row++ = summarise(&e->tallies[(size_t)w * CHOICE_POLICIES],
				(enum choice_policy)p, w + 1);
}

static int prepare(struct evaluation *e)
{
	size_t pages = e->visits->pages;

	e->tallies = calloc(CHOICE_ROWS, sizeof *e->tallies);
	e->candidates = calloc(pages, sizeof *e->candidates);
	e->ranked = calloc(pages, sizeof *e->ranked);
	e->hacs = calloc(pages, sizeof *e->hacs);
	e->room = calloc(e->visits->from[pages] + 1, sizeof *e->room);
	return e->tallies && e->candidates && e->ranked && e->hacs && e->room ? 0 : ERR_NOMEM;
}

int choices_evaluate(const struct visits *visits, uint64_t seed,
	void (*report)(void *context, size_t weeks), void *context, struct choices *ret)
{
	struct evaluation e = {.visits = visits};
	int rc = forecast_init(&e.forecast, visits);

	rng_init(&e.randoms, seed);
	if (rc == 0)
		rc = prepare(&e);
	for (size_t k = 0; rc == 0 && k < VISITS_WEEKS; k++) {
		double t = visits->start + 7.0 * (double)k;

		rc = forecast_advance(&e.forecast, t, VISITS_HORIZON);
		for (size_t w = 0; rc == 0 && w < CHOICES_WINDOWS; w++)
			rc = evaluate(
				&e, &e.tallies[w * CHOICE_POLICIES], t, 7.0 * (double)(w + 1));
		if (report)
			report(context, k + 1);
	}
	if (rc == 0)
		summarise_all(&e, ret);
	forecast_release(&e.forecast);
	free(e.tallies);
	free(e.candidates);
	free(e.ranked);
	free(e.hacs);
	free(e.room);
	return rc;
}
