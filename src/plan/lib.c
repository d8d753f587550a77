/* The planner for other programs: checks what plan_run takes on trust. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <stillpoint/error.h>
#include <stillpoint/measure.h>
#include <stillpoint/plan.h>
#include <stillpoint/rate.h>
#include <stillpoint/survival.h>

#include "base/err.h"
#include "base/slice.h"
#include "plan/gamma_poisson.h"
#include "plan/measure.h"
#include "plan/plan.h"
#include "plan/rate_estimate.h"
#include "plan/survival.h"

/* What the public functions check before they call the rooms, which trust their callers. */

/* Products of a few numbers below this are finite: nothing inside becomes infinite or NaN. */
#define LIB_NUMBER_MAX 1e100

static inline bool lib_is_number(double x)
{
	return fabs(x) <= LIB_NUMBER_MAX; /* false for NaN */
}

static inline bool lib_is_positive(double x)
{
	return x > 0 && x <= LIB_NUMBER_MAX;
}

static inline bool lib_is_not_negative(double x)
{
	return x >= 0 && x <= LIB_NUMBER_MAX;
}

/* Whether an array that the caller passed may be read. */
static inline bool lib_is_array(size_t n, const void *array)
{
	return n == 0 || array;
}

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

static bool lib_are_at_least(double min, size_t n, const double *array);

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

static int lib_plan_params(const struct sp_plan_params *from, struct plan_params *ret_params);

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

static int lib_code(int code);

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

int sp_survival_at(double rate, double shape, double length, double *ret_probability)
{
	struct survival s = {.rate = rate, .shape = shape};

	if (!lib_is_not_negative(rate) || !lib_is_not_negative(shape) ||
		!lib_is_not_negative(length) || !ret_probability)
		return SP_ERROR_ARGUMENT;
	*ret_probability = survival_at(s, length);
	return SP_OK;
}

int sp_survival_confidence(double rate, double shape, double tau, double *ret_length)
{
	struct survival s = {.rate = rate, .shape = shape};

	if (!lib_is_not_negative(rate) || !lib_is_not_negative(shape) || !(tau > 0 && tau <= 1) ||
		!ret_length)
		return SP_ERROR_ARGUMENT;
	*ret_length = survival_confidence(s, tau);
	return SP_OK;
}

int sp_rate_fit(size_t n, const uint64_t *changes, const double *times, double *ret_prior_shape,
	double *ret_prior_time)
{
	struct rate_count *counts;
	struct rate_gamma prior;

	if (!lib_is_array(n, changes) || !lib_are_at_least(0, n, times) || !ret_prior_shape ||
		!ret_prior_time)
		return SP_ERROR_ARGUMENT;
	counts = calloc(n ? n : 1, sizeof *counts);
	if (!counts)
		return SP_ERROR_MEMORY;
	for (size_t i = 0; i < n; i++)
		counts[i] = (struct rate_count){.changes = changes[i], .time = times[i]};
	prior = rate_gamma_fit(counts, n);
	free(counts);
	*ret_prior_shape = prior.shape;
	*ret_prior_time = prior.time;
	return SP_OK;
}

int sp_rate_posterior(double prior_shape, double prior_time, uint64_t changes, double time,
	double *ret_rate, double *ret_shape)
{
	struct rate_gamma prior = {.shape = prior_shape, .time = prior_time}, page;

	if (!lib_is_positive(prior_shape) || !lib_is_positive(prior_time) ||
		!lib_is_not_negative(time) || !ret_rate || !ret_shape)
		return SP_ERROR_ARGUMENT;
	page = rate_gamma_posterior(prior, (struct rate_count){.changes = changes, .time = time});
	*ret_rate = page.shape / page.time;
	*ret_shape = page.shape;
	return SP_OK;
}

int sp_rate_of_changefreq(const char *word, double *ret_rate)
{
	if (!word || !ret_rate)
		return SP_ERROR_ARGUMENT;
	return frequency_rate(slice_str(word), ret_rate) ? SP_OK : SP_ERROR_ARGUMENT;
}

static bool is_interval(double start, double end)
{
	return lib_is_number(start) && lib_is_number(end) && start <= end;
}

static bool are_ordered(size_t n, const double *visits, const double *revisits)
{
	for (size_t i = 0; i < n; i++)
		if (!is_interval(visits[i], revisits[i]))
			return false;
	return true;
}

static bool is_history(size_t n, const double *changes)
{
	return lib_are_at_least(-LIB_NUMBER_MAX, n, changes) &&
	       (n < 2 || are_ordered(n - 1, changes, changes + 1));
}

int sp_blur_expected(size_t n, const double *rates, const double *visits, const double *revisits,
	double start, double end, double *ret_blur)
{
	struct blur_interval obs = {start, end};

	if (!lib_are_at_least(0, n, rates) || !lib_are_at_least(-LIB_NUMBER_MAX, n, visits) ||
		!is_interval(start, end) || !ret_blur)
		return SP_ERROR_ARGUMENT;
	if (revisits && !are_ordered(n, visits, revisits))
		return SP_ERROR_ARGUMENT;
	*ret_blur = revisits ? blur_capture_revisit(n, rates, visits, revisits, obs)
			     : blur_capture(n, rates, visits, obs);
	return SP_OK;
}

int sp_blur_actual(size_t n, const double *changes, double visit, double revisit, double start,
	double end, double *ret_blur)
{
	struct change_history history = {changes, n};
	struct blur_interval obs = {start, end};

	if (!is_history(n, changes) || !is_interval(visit, revisit) || !is_interval(start, end) ||
		!ret_blur)
		return SP_ERROR_ARGUMENT;
	*ret_blur = blur_actual_page_revisit(history, visit, revisit, obs);
	return SP_OK;
}

int sp_coherence_expected(size_t n, const double *rates, const double *lengths,
	const double *weights, double *ret_coherence)
{
	if (!lib_are_at_least(0, n, rates) || !lib_are_at_least(0, n, lengths) ||
		(weights && !lib_are_at_least(0, n, weights)) || !ret_coherence)
		return SP_ERROR_ARGUMENT;
	*ret_coherence = coherence_expected(n, rates, lengths, weights);
	return SP_OK;
}

int sp_coherence_actual(
	size_t n, const double *changes, double visit, double revisit, int *ret_coherent)
{
	struct change_history history = {changes, n};

	if (!is_history(n, changes) || !is_interval(visit, revisit) || !ret_coherent)
		return SP_ERROR_ARGUMENT;
	*ret_coherent = coherence_actual_page(history, visit, revisit);
	return SP_OK;
}

const char *sp_version(void)
{
	return STILLPOINT_VERSION;
}

const char *sp_error_text(int code)
{
	switch (code) {
	case SP_OK:
		return "no error";
	case SP_ERROR_MEMORY:
		return "out of memory";
	case SP_ERROR_ARGUMENT:
		return "an argument is NULL, not a number or out of range";
	case SP_ERROR_SIZE:
		return "the size member of a struct is too small or not set";
	case SP_ERROR_STRATEGY:
		return "no strategy has this name";
	case SP_ERROR_PAGE:
		return "unknown page, or a page number that is too large";
	case SP_ERROR_STATE:
		return "this order is not out";
	case SP_ERROR_TIME:
		return "a time lies before one that was given earlier";
	default:
		return "unknown error";
	}
}

/* The public code for one of base/err.h. */
static int lib_code(int code)
{
	switch (code) {
	case 0:
		return SP_OK;
	case ERR_NOMEM:
		return SP_ERROR_MEMORY;
	case ERR_NOTFOUND:
		return SP_ERROR_PAGE;
	default:
		return SP_ERROR_ARGUMENT;
	}
}

/* Whether all are numbers of at least min; false for NULL, unless n is 0. */
static bool lib_are_at_least(double min, size_t n, const double *array)
{
	for (size_t i = 0; i < n; i++)
		if (!array || !(array[i] >= min && array[i] <= LIB_NUMBER_MAX))
			return false;
	return true;
}

struct sp_plan {
	struct plan_run *run;
	uint32_t max_pages;
	double now; /* of the last sp_plan_next */
};

/* Reads the caller's parameters, NULL being all defaults. 0 or a public code. */
static int lib_plan_params(const struct sp_plan_params *from, struct plan_params *ret_params)
{
	static const struct sp_plan_params DEFAULTS = {.size = sizeof DEFAULTS};
	static const enum plan_aim AIMS[] = {[SP_BALANCED] = PLAN_BALANCED,
		[SP_SHARP] = PLAN_SHARP,
		[SP_COMPLETE] = PLAN_COMPLETE};
	const uint32_t flags = SP_PLAN_SINGLE | SP_PLAN_FAST | SP_PLAN_ALL_KNOWN;
	const struct sp_plan_params *p = from ? from : &DEFAULTS;
	struct plan_params params;

	if (p->size < sizeof *p)
		return SP_ERROR_SIZE;
	params = (struct plan_params){
		.strategy = plan_strategy_find(
			p->strategy ? p->strategy : "stillpoint", p->flags & SP_PLAN_ALL_KNOWN),
		.delay = p->delay,
		.tau = p->tau,
		.size = p->pages,
		.attempts = p->attempts,
		.single = p->flags & SP_PLAN_SINGLE,
		.fast = p->flags & SP_PLAN_FAST,
		.aim = AIMS[p->aim <= SP_COMPLETE ? p->aim : SP_BALANCED],
	};
	if (!params.strategy)
		return SP_ERROR_STRATEGY;
	if (!lib_is_not_negative(p->delay) || !lib_is_not_negative(p->tau) || p->tau > 1 ||
		p->attempts > UINT8_MAX || (p->flags & ~flags) || p->aim > SP_COMPLETE)
		return SP_ERROR_ARGUMENT;
	*ret_params = params;
	return SP_OK;
}

int sp_plan_new(const struct sp_plan_params *params, struct sp_plan **ret_plan)
{
	struct plan_params inner;
	struct err err = {0};
	struct sp_plan *plan;

	TRY(ret_plan ? lib_plan_params(params, &inner) : SP_ERROR_ARGUMENT);
	plan = malloc(sizeof *plan);
	if (!plan)
		return SP_ERROR_MEMORY;
	*plan = (struct sp_plan){
		.run = plan_run_new(&inner, &err),
		.max_pages = params && params->max_pages ? params->max_pages : SP_MAX_PAGES,
		.now = -INFINITY,
	};
	if (!plan->run) {
		free(plan);
		return lib_code(err.code);
	}
	*ret_plan = plan;
	return SP_OK;
}

void sp_plan_free(struct sp_plan *plan)
{
	if (!plan)
		return;
	plan_run_free(plan->run);
	free(plan);
}

static int check_page(const struct sp_page *info)
{
	if (!info)
		return SP_ERROR_ARGUMENT;
	if (info->size < sizeof *info)
		return SP_ERROR_SIZE;
	if (!lib_is_not_negative(info->rate) || !lib_is_not_negative(info->shape) ||
		!lib_is_not_negative(info->weight))
		return SP_ERROR_ARGUMENT;
	return SP_OK;
}

static struct survival survival_of(const struct sp_page *info)
{
	return (struct survival){.rate = info->rate, .shape = info->shape};
}

int sp_plan_found(struct sp_plan *plan, uint32_t page, const struct sp_page *info)
{
	TRY(plan ? check_page(info) : SP_ERROR_ARGUMENT);
	if (page >= plan->max_pages)
		return SP_ERROR_PAGE;
	return lib_code(plan_discovered(plan->run, page, survival_of(info), (float)info->weight));
}

int sp_plan_update(struct sp_plan *plan, uint32_t page, const struct sp_page *info)
{
	TRY(plan ? check_page(info) : SP_ERROR_ARGUMENT);
	return lib_code(plan_update(plan->run, page, survival_of(info), (float)info->weight));
}

int sp_plan_withdraw(struct sp_plan *plan, uint32_t page)
{
	return plan ? lib_code(plan_withdraw(plan->run, page)) : SP_ERROR_ARGUMENT;
}

int sp_plan_group(struct sp_plan *plan, uint32_t page, const uint32_t *requisites, size_t count)
{
	if (!plan || (!requisites && count > 0))
		return SP_ERROR_ARGUMENT;
	if (page >= plan->max_pages)
		return SP_ERROR_PAGE;
	for (size_t i = 0; i < count; i++)
		if (requisites[i] >= plan->max_pages)
			return SP_ERROR_PAGE;
	return lib_code(plan_group(plan->run, page, requisites, count));
}

int sp_plan_budget(struct sp_plan *plan, double now, double downloads, int *ret_end)
{
	if (!plan || !ret_end || !lib_is_number(now) || !lib_is_not_negative(downloads))
		return SP_ERROR_ARGUMENT;
	*ret_end = plan_budget(plan->run, now, downloads);
	return SP_OK;
}

int sp_plan_next(struct sp_plan *plan, double now, int *ret_step, struct sp_order *ret_order)
{
	static const int STEPS[] = {
		[PLAN_ORDER] = SP_ORDER, [PLAN_WAIT] = SP_WAIT, [PLAN_END] = SP_END};
	struct plan_order order = {0};
	enum plan_step step;

	if (!plan || !ret_step || !ret_order || !lib_is_number(now))
		return SP_ERROR_ARGUMENT;
	if (ret_order->size < sizeof *ret_order)
		return SP_ERROR_SIZE;
	if (now < plan->now)
		return SP_ERROR_TIME;
	plan->now = now;
	step = plan_next(plan->run, now, &order);
	if (step == PLAN_ORDER) {
		ret_order->page = order.page;
		ret_order->leg = order.leg;
		ret_order->attempt = order.attempt;
		ret_order->hopeless = order.hopeless;
	}
	*ret_step = STEPS[step];
	return SP_OK;
}

int sp_plan_done(
	struct sp_plan *plan, const struct sp_order *order, int outcome, double begin, double end)
{
	static const enum plan_outcome OUTCOMES[] = {
		[SP_DONE] = PLAN_OK,
		[SP_RETRY] = PLAN_RETRY,
		[SP_FAILED] = PLAN_FAILED,
		[SP_RETURNED] = PLAN_RETURNED,
		[SP_PUT_OFF] = PLAN_PUT_OFF,
	};
	struct plan_order inner;

	if (!plan || !order || outcome < SP_DONE || outcome > SP_PUT_OFF || !lib_is_number(begin) ||
		!lib_is_number(end))
		return SP_ERROR_ARGUMENT;
	if (order->size < sizeof *order)
		return SP_ERROR_SIZE;
	if (end < begin)
		return SP_ERROR_TIME;
	if (order->leg > SP_LATE)
		return SP_ERROR_ARGUMENT;
	inner = (struct plan_order){.page = order->page,
		.leg = (enum plan_leg)order->leg,
		.attempt = order->attempt,
		.hopeless = order->hopeless};
	if (!plan_is_out(plan->run, &inner))
		return SP_ERROR_STATE;
	plan_done(plan->run, &inner, OUTCOMES[outcome], begin, end);
	return SP_OK;
}

int sp_plan_end_visits(struct sp_plan *plan)
{
	if (!plan)
		return SP_ERROR_ARGUMENT;
	plan_end_visits(plan->run);
	return SP_OK;
}

int sp_plan_cancel(struct sp_plan *plan)
{
	if (!plan)
		return SP_ERROR_ARGUMENT;
	plan_cancel(plan->run);
	return SP_OK;
}

int sp_plan_progress(const struct sp_plan *plan, struct sp_progress *ret_progress)
{
	struct plan_progress p;

	if (!plan || !ret_progress)
		return SP_ERROR_ARGUMENT;
	if (ret_progress->size < sizeof *ret_progress)
		return SP_ERROR_SIZE;
	p = plan_progress(plan->run);
	*ret_progress = (struct sp_progress){
		.size = ret_progress->size,
		.known = p.known,
		.visited = p.visited,
		.revisited = p.revisited,
		.late = p.late,
		.failed = p.failed,
		.out = p.in_flight,
		.pages = p.size,
		.leg = p.leg,
		.error = lib_code(plan_error(plan->run)),
	};
	return SP_OK;
}

int sp_plan_expected(const struct sp_plan *plan, double now, double *ret_weight)
{
	if (!plan || !ret_weight || !lib_is_number(now))
		return SP_ERROR_ARGUMENT;
	*ret_weight = plan_expected(plan->run, now, true);
	return SP_OK;
}

size_t sp_strategy_count(void)
{
	size_t n = 0;

	while (plan_strategy_at(n))
		n++;
	return n;
}

const char *sp_strategy_name(size_t i)
{
	const struct plan_strategy *s = plan_strategy_at(i);

	return s ? s->name : NULL;
}

const char *sp_strategy_summary(size_t i)
{
	const struct plan_strategy *s = plan_strategy_at(i);

	return s ? s->summary : NULL;
}
