/* The planner for other programs: checks what plan_run takes on trust. */
#include "plan/plan.h"

#include <stdlib.h>
#include <stillpoint/plan.h>

#include "lib/check.h"

struct sp_plan {
	struct plan_run *run;
	uint32_t max_pages;
	double now; /* of the last sp_plan_next */
};

int lib_plan_params(const struct sp_plan_params *from, struct plan_params *ret_params)
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
	int rc = ret_plan ? lib_plan_params(params, &inner) : SP_ERROR_ARGUMENT;

	if (rc)
		return rc;
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
	int rc = plan ? check_page(info) : SP_ERROR_ARGUMENT;

	if (rc)
		return rc;
	if (page >= plan->max_pages)
		return SP_ERROR_PAGE;
	return lib_code(plan_discovered(plan->run, page, survival_of(info), (float)info->weight));
}

int sp_plan_update(struct sp_plan *plan, uint32_t page, const struct sp_page *info)
{
	int rc = plan ? check_page(info) : SP_ERROR_ARGUMENT;

	if (rc)
		return rc;
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
