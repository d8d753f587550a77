#include "plan/expect_drive.h"

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
	size_t downloads;       /* so far */
	bool begun;
	struct drive_result *result;
	size_t *requisites_from; /* those of a page, in site->requisites; NULL: told already */

	/* Of several servers: */
	double time;
	double ready[FLEET_MAX];             /* when a server may be asked again */
	double start[FLEET_MAX];             /* of its order; infinite: it has none */
	enum plan_leg leg_of[FLEET_MAX];     /* of its last order */
	struct plan_order orders[FLEET_MAX]; /* given out */
};

static bool has_fleet(const struct run *r)
{
	return r->params->fleet && r->params->fleet->servers > 0;
}

static double now(const struct run *r)
{
	if (has_fleet(r))
		return r->time;
	return (double)r->slot * r->params->plan.delay;
}

static int discover(struct run *r, uint32_t page)
{
	const struct site *site = r->params->site;
	const struct survival *told = r->params->told ? r->params->told : site->survival;

	/* One that is known already stays where it is. */
	if (has_fleet(r) &&
		plan_place(r->plan, page, r->params->fleet->server_of[page]) == ERR_NOMEM)
		return ERR_NOMEM;
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
}

/* What a page needs, which was found with it. */
static int tell_requisites(struct run *r, uint32_t page)
{
	const struct group_edge *e = r->params->site->requisites.ptr;
	int rc = 0;

	for (size_t i = r->requisites_from[page]; rc == 0 && i < r->requisites_from[page + 1]; i++)
		rc = plan_group(r->plan, page, &e[i].requisite, 1);
	return rc;
}

/*
 * Offline strategies know all requisites beforehand. The others learn them from the pages, where
 * the edges are in the order of the pages, as the simulator makes them; else beforehand, too.
 */
static int prepare_requisites(struct run *r)
{
	const struct group_edges *e = &r->params->site->requisites;
	size_t n = r->params->site->n, page = 0;
	bool sorted = r->params->seeds && !r->params->plan.strategy->offline;
	int rc = 0;

	for (size_t i = 1; i < e->len; i++)
		sorted = sorted && e->ptr[i - 1].page <= e->ptr[i].page;
	for (size_t i = 0; !sorted && rc == 0 && i < e->len; i++)
		rc = plan_group(r->plan, e->ptr[i].page, &e->ptr[i].requisite, 1);
	if (!sorted || e->len == 0)
		return rc;
	r->requisites_from = calloc(n + 2, sizeof *r->requisites_from);
	if (!r->requisites_from)
		return ERR_NOMEM;
	for (size_t i = 0; i < e->len; i++)
		while (page < e->ptr[i].page)
			r->requisites_from[++page] = i;
	while (page < n)
		r->requisites_from[++page] = e->len;
	return 0;
}

static int record(struct run *r, const struct plan_order *order)
{
	struct drive_result *to = r->result;
	struct u32_vec *const lists[] = {
		[PLAN_VISIT] = &to->visits,
		[PLAN_REVISIT] = &to->revisits,
		[PLAN_LATE] = &to->late,
	};
	double late = r->params->faults.late;
	int rc;

	if (order->leg == PLAN_VISIT)
		to->hopeless[order->page] = order->hopeless;
	(order->leg == PLAN_REVISIT ? to->revisited_at : to->visited_at)[order->page] = now(r);
	if (u32_vec_try_push(lists[order->leg], order->page))
		return ERR_NOMEM;
	if (order->leg == PLAN_REVISIT && !(late > 0))
		return 0; /* the visit found all links */
	rc = discover_links(r, order->page, order->leg == PLAN_VISIT ? late : 0);
	return rc || !r->requisites_from ? rc : tell_requisites(r, order->page);
}

static int carry_out(struct run *r, const struct plan_order *order)
{
	bool failed = happens(r, r->params->faults.failure);
	int rc;

	if (!has_fleet(r))
		pass_delay(r, order->leg);
	r->result->end = now(r);
	r->downloads++;
	rc = failed ? 0 : record(r, order);
	if (rc == 0)
		plan_done(r->plan, order, failed ? PLAN_RETRY : PLAN_OK, now(r), now(r));
	return rc;
}

/* Keeps to the limit of downloads, if there is one. */
static void limit(struct run *r)
{
	size_t most = r->params->plan.downloads;

	if (most == 0)
		return;
	if (r->downloads >= most)
		plan_cancel(r->plan);
	else if (plan_budget(r->plan, now(r), (double)(most - r->downloads)))
		plan_end_visits(r->plan);
}

static enum plan_step next(struct run *r, struct plan_order *ret_order)
{
	limit(r);
	return plan_next(r->plan, now(r), ret_order);
}

/* Puts an order into the queue of its server, which has one at most. */
static void enqueue(struct run *r, const struct plan_order *order)
{
	uint32_t s = r->params->fleet->server_of[order->page];
	bool at_barrier = order->leg == PLAN_REVISIT && r->leg_of[s] == PLAN_VISIT;

	if (at_barrier && r->params->plan.strategy->shared_slot)
		r->ready[s] = r->time;
	r->leg_of[s] = order->leg;
	r->start[s] = fmax(r->time, r->ready[s]);
	r->orders[s] = *order;
}

/* Lets time pass until something can happen, and carries out the order that is due by then. */
static int pass_time(struct run *r)
{
	const struct fleet *f = r->params->fleet;
	size_t first = 0;

	for (size_t s = 1; s < f->servers; s++)
		if (r->start[s] < r->start[first])
			first = s;
	if (plan_wake(r->plan) < r->start[first] && plan_wake(r->plan) > r->time) {
		r->time = plan_wake(r->plan);
		return 0;
	}
	assert(isfinite(r->start[first])); /* a plan waits only for something */
	r->time = r->start[first];
	r->start[first] = INFINITY;
	r->ready[first] = r->time + f->delays[first];
	return carry_out(r, &r->orders[first]);
}

static int run_fleet(struct run *r)
{
	enum plan_step step = PLAN_WAIT;
	struct plan_order order;
	int rc = 0;

	for (size_t s = 0; s < r->params->fleet->servers; s++)
		r->start[s] = INFINITY;
	while (rc == 0 && step != PLAN_END) {
		step = next(r, &order);
		if (step == PLAN_WAIT)
			rc = pass_time(r);
		else if (step == PLAN_ORDER && order.put_off)
			plan_done(r->plan, &order, PLAN_PUT_OFF, r->time, r->time);
		else if (step == PLAN_ORDER)
			enqueue(r, &order);
	}
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
	if (rc == 0)
		rc = prepare_requisites(r);
	for (uint32_t s = 0; rc == 0 && has_fleet(r) && s < p->fleet->servers; s++)
		rc = plan_pace(r->plan, s, p->fleet->delays[s]);
	if (rc == 0 && has_fleet(r))
		rc = run_fleet(r);
	while (rc == 0 && !has_fleet(r) && (step = next(r, &order)) != PLAN_END) {
		assert(step == PLAN_ORDER); /* nothing is in flight that could be waited for */
		rc = carry_out(r, &order);
	}
	return rc ? rc : plan_error(r->plan);
}

/* Fills reached and unreached. */
static int reach(struct run *r)
{
	const struct drive_params *p = r->params;
	int rc = 0;

	if (p->seeds)
		return site_reach(
			p->site, p->seeds, p->seed_count, &r->reached, &r->result->unreached);
	for (uint32_t i = 0; rc == 0 && i < p->site->n; i++)
		rc = u32_vec_try_push(&r->reached, i);
	return rc;
}

int drive_result_init(struct drive_result *r, size_t n, bool single, double delay)
{
	*r = (struct drive_result){.single = single, .delay = delay};
	r->visited_at = malloc((n + 1) * sizeof *r->visited_at);
	r->revisited_at = malloc((n + 1) * sizeof *r->revisited_at);
	r->hopeless = calloc(n + 1, sizeof *r->hopeless);
	if (!r->visited_at || !r->revisited_at || !r->hopeless)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++)
		r->visited_at[i] = r->revisited_at[i] = NAN;
	return 0;
}

static int prepare(struct run *r, struct err *err)
{
	struct plan_params plan = r->params->plan;
	int rc = drive_result_init(
		r->result, r->params->site->n, !plan.strategy->revisits || plan.single, plan.delay);

	if (rc == 0)
		rc = reach(r);
	if (rc)
		return err_code(err, rc);
	if (r->params->size_unknown)
		plan.size = 0;
	else if (plan.size == 0)
		plan.size = (uint32_t)r->reached.len;
	plan.orders = 1;
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
	free(r.requisites_from);
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
