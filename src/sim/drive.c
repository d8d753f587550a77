#include "sim/drive.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* A capture under way. */
struct run {
	const struct drive_params *params;
	struct plan_run *plan;
	struct u32_vec reached; /* breadth first */
	uint64_t slot;          /* of the last download; time is slot times delay, never a sum */
	enum plan_leg leg;      /* of the last download */
	bool begun;
	struct drive_result *result;
};

static double now(const struct run *r)
{
	return (double)r->slot * r->params->plan.delay;
}

static int discover(struct run *r, uint32_t page)
{
	const struct site *site = r->params->site;
	const struct survival *told = r->params->told ? r->params->told : site->survival;

	return plan_discovered(r->plan, page, told[page], site_weight(site, page));
}

static int discover_all(struct run *r, const uint32_t *pages, size_t count)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = discover(r, pages[i]);
	return rc;
}

static bool happens(const struct run *r, double probability)
{
	return probability > 0 && rng_double(r->params->faults.rng) < probability;
}

/* The links of a page; hidden is the probability that one is not there yet. */
static int discover_links(struct run *r, uint32_t page, double hidden)
{
	const struct site *site = r->params->site;
	int rc = 0;

	for (size_t i = site->link_from[page]; rc == 0 && i < site->link_from[page + 1]; i++)
		if (!happens(r, hidden))
			rc = discover(r, site->links[i]);
	return rc;
}

/* Lets the pause before a download pass. */
static void pass_delay(struct run *r, enum plan_leg leg)
{
	bool at_barrier = leg == PLAN_REVISIT && r->leg == PLAN_VISIT;

	if (r->begun && !(at_barrier && r->params->plan.strategy->shared_slot))
		r->slot++;
	r->begun = true;
	r->leg = leg;
	r->result->end = now(r);
}

static int visit(struct run *r, const struct plan_order *order)
{
	r->result->visited_at[order->page] = now(r);
	r->result->hopeless[order->page] = order->hopeless;
	if (u32_vec_push(&r->result->visits, order->page))
		return ERR_NOMEM;
	return discover_links(r, order->page, r->params->faults.late);
}

static int revisit(struct run *r, const struct plan_order *order)
{
	r->result->revisited_at[order->page] = now(r);
	if (u32_vec_push(&r->result->revisits, order->page))
		return ERR_NOMEM;
	return r->params->faults.late > 0 ? discover_links(r, order->page, 0) : 0;
}

static int visit_late(struct run *r, const struct plan_order *order)
{
	r->result->visited_at[order->page] = now(r);
	if (u32_vec_push(&r->result->late, order->page))
		return ERR_NOMEM;
	return discover_links(r, order->page, 0);
}

static int carry_out(struct run *r, const struct plan_order *order)
{
	static int (*const LEGS[])(struct run *, const struct plan_order *) = {
		[PLAN_VISIT] = visit,
		[PLAN_REVISIT] = revisit,
		[PLAN_LATE] = visit_late,
	};
	bool failed = happens(r, r->params->faults.failure);
	int rc = 0;

	pass_delay(r, order->leg);
	if (!failed)
		rc = LEGS[order->leg](r, order);
	if (rc == 0)
		plan_done(r->plan, order, failed ? PLAN_RETRY : PLAN_OK, now(r), now(r));
	return rc;
}

static int run_all(struct run *r)
{
	const struct drive_params *p = r->params;
	struct plan_order order;
	enum plan_step step;
	int rc;

	if (p->plan.strategy->offline || !p->seeds)
		rc = discover_all(r, r->reached.ptr, r->reached.len);
	else
		rc = discover_all(r, p->seeds, p->seed_count);
	while (rc == 0 && (step = plan_next(r->plan, now(r), &order)) != PLAN_END) {
		assert(step == PLAN_ORDER); /* nothing is in flight that could be waited for */
		rc = carry_out(r, &order);
	}
	return rc ? rc : plan_error(r->plan);
}

/* Fills reached and unreached. */
static int reach(struct run *r)
{
	const struct drive_params *p = r->params;
	bool *seen = calloc(p->site->n + 1, sizeof *seen);
	int rc = seen ? 0 : ERR_NOMEM;

	for (uint32_t i = 0; rc == 0 && !p->seeds && i < p->site->n; i++)
		rc = u32_vec_push(&r->reached, i);
	if (rc == 0 && p->seeds)
		rc = site_reach(p->site, p->seeds, p->seed_count, &r->reached);
	for (size_t i = 0; rc == 0 && i < r->reached.len; i++)
		seen[r->reached.ptr[i]] = true;
	for (uint32_t i = 0; rc == 0 && i < p->site->n; i++)
		if (!seen[i])
			rc = u32_vec_push(&r->result->unreached, i);
	free(seen);
	return rc;
}

static int allocate(const struct drive_params *p, struct drive_result *result)
{
	size_t n = p->site->n;

	*result = (struct drive_result){
		.single = !p->plan.strategy->revisits || p->plan.single,
		.delay = p->plan.delay,
	};
	result->visited_at = malloc((n + 1) * sizeof *result->visited_at);
	result->revisited_at = malloc((n + 1) * sizeof *result->revisited_at);
	result->hopeless = calloc(n + 1, sizeof *result->hopeless);
	if (!result->visited_at || !result->revisited_at || !result->hopeless)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		result->visited_at[i] = result->revisited_at[i] = NAN;
	return 0;
}

static int prepare(struct run *r, struct err *err)
{
	struct plan_params plan = r->params->plan;
	int rc = allocate(r->params, r->result);

	if (rc == 0)
		rc = reach(r);
	if (rc)
		return err_code(err, rc);
	if (plan.size == 0)
		plan.size = (uint32_t)r->reached.len;
	r->plan = plan_run_new(&plan, err);
	return r->plan ? 0 : err->code;
}

int drive(const struct drive_params *params, struct drive_result *ret_result, struct err *err)
{
	struct drive_result result = {0};
	struct run r = {.params = params, .result = &result};
	int rc = prepare(&r, err);

	if (rc == 0)
		rc = err_code(err, run_all(&r));
	plan_run_free(r.plan);
	u32_vec_release(&r.reached);
	if (rc)
		drive_release(&result);
	else
		*ret_result = result;
	return rc;
}

void drive_release(struct drive_result *r)
{
	u32_vec_release(&r->visits);
	u32_vec_release(&r->revisits);
	u32_vec_release(&r->late);
	u32_vec_release(&r->unreached);
	free(r->visited_at);
	free(r->revisited_at);
	free(r->hopeless);
	*r = (struct drive_result){0};
}

static int64_t slot_of(const struct drive_result *r, double time)
{
	const struct u32_vec *visits = &r->visits;
	double zero = r->single ? 0 : r->visited_at[visits->ptr[visits->len - 1]];

	return llround((time - zero) / r->delay);
}

int64_t drive_visit_slot(const struct drive_result *r, uint32_t page)
{
	return slot_of(r, r->visited_at[page]);
}

int64_t drive_revisit_slot(const struct drive_result *r, uint32_t page)
{
	return slot_of(r, r->revisited_at[page]);
}
