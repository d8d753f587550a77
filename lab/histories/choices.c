#include "histories/choices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "histories/forecast.h"
#include "histories/ranking.h"

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
