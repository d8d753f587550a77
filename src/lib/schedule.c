/*
 * A schedule of known pages: a capture in which every download succeeds and takes no time. Where
 * the papers let one page hold both slots 0 (strategy->shared_slot), the first revisit has the slot
 * of the last visit. sim/drive.c does the same for sites with links, failures and late discoveries.
 */
#include <stdlib.h>
#include <stillpoint/plan.h>

#include "lib/check.h"
#include "measure/sum.h"
#include "plan/plan.h"

struct place {
	int64_t visit, revisit; /* slots from the first visit on */
	bool hopeless;
};

struct drawing {
	size_t n;
	struct plan_params params;
	struct survival *survival;
	float *weight;
	struct place *places;
	int64_t still_point; /* slot of the last visit; 0 without revisits */
	double coherence, bound;
};

static bool has_revisits(const struct drawing *d)
{
	return d->params.strategy->revisits && !d->params.single;
}

static int check_site(const struct sp_plan_params *params, const struct sp_site *site)
{
	size_t n;

	if (site->size < sizeof *site)
		return SP_ERROR_SIZE;
	n = site->pages;
	if (n > (params && params->max_pages ? params->max_pages : SP_MAX_PAGES))
		return SP_ERROR_PAGE;
	if (!lib_are_at_least(0, n, site->rates) ||
		(site->shapes && !lib_are_at_least(0, n, site->shapes)) ||
		(site->weights && !lib_are_at_least(0, n, site->weights)))
		return SP_ERROR_ARGUMENT;
	return SP_OK;
}

static int read_params(const struct sp_plan_params *from, size_t n, struct plan_params *ret_params)
{
	struct sp_plan_params p = {.size = sizeof p};

	if (from && from->size < sizeof *from)
		return SP_ERROR_SIZE;
	if (from)
		p = *from;
	p.flags |= SP_PLAN_ALL_KNOWN;
	if (p.delay == 0)
		p.delay = 1;
	if (p.pages == 0)
		p.pages = (uint32_t)n;
	return lib_plan_params(&p, ret_params);
}

static int drawing_init(struct drawing *d, const struct sp_site *site)
{
	d->n = site->pages;
	d->survival = calloc(d->n + 1, sizeof *d->survival);
	d->weight = calloc(d->n + 1, sizeof *d->weight);
	d->places = calloc(d->n + 1, sizeof *d->places);
	if (!d->survival || !d->weight || !d->places)
		return SP_ERROR_MEMORY;
	for (size_t i = 0; i < d->n; i++) {
		d->survival[i].rate = site->rates[i];
		d->survival[i].shape = site->shapes ? site->shapes[i] : 0;
		d->weight[i] = site->weights ? (float)site->weights[i] : 1;
		d->places[i].revisit = SP_NO_REVISIT;
	}
	return SP_OK;
}

static void drawing_release(struct drawing *d)
{
	free(d->survival);
	free(d->weight);
	free(d->places);
}

/* Slots are numbered from the first visit on, one for each download. */
static int draw(struct drawing *d, struct plan_run *run)
{
	struct plan_order order;
	int64_t slot = -1;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < d->n; i++)
		rc = plan_discovered(run, (uint32_t)i, d->survival[i], d->weight[i]);
	while (rc == 0) {
		double now = (double)(slot < 0 ? 0 : slot) * d->params.delay;
		bool visits = plan_progress(run).leg == PLAN_VISIT;

		if (plan_next(run, now, &order) != PLAN_ORDER)
			break;
		if (!(visits && order.leg == PLAN_REVISIT && d->params.strategy->shared_slot))
			slot++;
		now = (double)slot * d->params.delay;
		if (order.leg == PLAN_VISIT) {
			d->places[order.page].visit = slot;
			d->places[order.page].hopeless = order.hopeless;
			d->still_point = has_revisits(d) ? slot : 0;
		} else {
			d->places[order.page].revisit = slot;
		}
		plan_done(run, &order, PLAN_OK, now, now);
	}
	return lib_code(rc ? rc : plan_error(run));
}

/* What the schedule may expect, and what none can exceed. */
static int value(struct drawing *d)
{
	static const double ROUNDING = 1e-9;
	struct plan_limit limit;
	struct sum sum = {0};
	int rc;

	d->coherence = d->bound = NAN;
	if (!has_revisits(d))
		return SP_OK;
	for (size_t i = 0; i < d->n; i++) {
		const struct place *p = &d->places[i];
		double length = (double)(p->revisit - p->visit) * d->params.delay;

		sum_add(&sum, (double)d->weight[i] * survival_at(d->survival[i], length));
	}
	rc = plan_limit(d->survival, d->weight, d->n, d->params.delay, d->params.fast, &limit);
	if (rc)
		return lib_code(rc);
	d->coherence = sum_value(&sum);
	d->bound = limit.bound;
	if (d->coherence > d->bound && d->coherence <= d->bound * (1 + ROUNDING))
		d->bound = d->coherence;
	return SP_OK;
}

static void hand_over(const struct drawing *d, struct sp_schedule *s)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct place *p = &d->places[i];

		if (s->visits)
			s->visits[i] = p->visit - d->still_point;
		if (s->revisits)
			s->revisits[i] = p->revisit == SP_NO_REVISIT ? SP_NO_REVISIT
								     : p->revisit - d->still_point;
		if (s->hopeless)
			s->hopeless[i] = p->hopeless;
	}
	s->coherence = d->coherence;
	s->upper_bound = d->bound;
}

int sp_plan_schedule(const struct sp_plan_params *params, const struct sp_site *site,
	struct sp_schedule *schedule)
{
	struct drawing d = {0};
	struct plan_run *run = NULL;
	struct err err = {0};
	int rc;

	if (!site || !schedule)
		return SP_ERROR_ARGUMENT;
	if (schedule->size < sizeof *schedule)
		return SP_ERROR_SIZE;
	rc = read_params(params, site->size < sizeof *site ? 0 : site->pages, &d.params);
	if (rc == 0)
		rc = check_site(params, site);
	if (rc == 0)
		rc = drawing_init(&d, site);
	if (rc == 0 && !(run = plan_run_new(&d.params, &err)))
		rc = lib_code(err.code);
	if (rc == 0)
		rc = draw(&d, run);
	plan_run_free(run);
	if (rc == 0)
		rc = value(&d);
	if (rc == 0)
		hand_over(&d, schedule);
	drawing_release(&d);
	return rc;
}
