#include "histories/canaries.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "histories/subsites.h"

enum {
	PICKS = 8,      /* random pages tried for a canary */
	CROWD_LOOKS = 5 /* of a page: room is left for its revisit and a third visit */
};

VEC_DECLARE(order_list, struct plan_order);

struct group {
	double alarmed_at; /* -INFINITY: never */
	unsigned recent;   /* a bit for each of the last revisits: it found a change */
	bool deferred;
};

struct run {
	const struct draw *draw;
	struct plan_run *plan;
	struct subsites subsites;
	struct group *groups;
	struct u32_vec visited;
	struct order_list deferred; /* revisits put off */
	struct rng randoms;
	struct past_capture capture;
	uint64_t slot;
	bool begun, shared_slot;
	double still;
};

static double now(const struct run *r)
{
	return r->draw->params.start + (double)r->slot * draw_delay(r->draw);
}

static struct group *group_of(struct run *r, uint32_t page)
{
	return &r->groups[r->subsites.of[page]];
}

/* A download in the next slot; whether it shows another copy than the page's look before. */
static bool look(struct run *r, uint32_t page)
{
	const struct looks *l = &r->capture.looks[page];

	if (r->begun)
		r->slot++;
	r->begun = true;
	if (!past_capture_look(&r->capture, page, now(r)) || l->count < 2)
		return false;
	return draw_changed(r->draw, page, l->at[l->count - 2], l->at[l->count - 1]);
}

static bool may_look(const struct run *r, uint32_t page)
{
	const struct looks *l = &r->capture.looks[page];

	return l->count < CROWD_LOOKS && looks_last(l) < now(r);
}

static bool is_calm(const struct run *r, uint32_t page)
{
	double age = now(r) - looks_last(&r->capture.looks[page]);

	return survival_at(r->draw->site.survival[page], age) >= CANARIES_CALM;
}

/* A page to look at again: any that is calm, or of one group. */
static bool pick(struct run *r, uint32_t group, uint32_t *ret_page)
{
	for (int i = 0; i < PICKS; i++) {
		uint32_t page = r->visited.ptr[rng_below(&r->randoms, r->visited.len)];

		if (!may_look(r, page))
			continue;
		if (group == UINT32_MAX ? is_calm(r, page) : r->subsites.of[page] == group) {
			*ret_page = page;
			return true;
		}
	}
	return false;
}

/* (1) and (2). */
static void send_canary(struct run *r)
{
	unsigned probes = 1, changed = 1;
	uint32_t page, group;

	if (!pick(r, UINT32_MAX, &page) || !look(r, page))
		return;
	group = r->subsites.of[page];
	for (int i = 0; i < CANARIES_PROBES; i++)
		if (pick(r, group, &page)) {
			probes++;
			changed += look(r, page);
		}
	if (probes > 1 && 2 * changed >= probes)
		r->groups[group].alarmed_at = now(r);
}

/* (3) */
static void visit_again(struct run *r)
{
	for (size_t i = 0; i < r->visited.len; i++) {
		uint32_t page = r->visited.ptr[i];

		if (looks_last(&r->capture.looks[page]) < group_of(r, page)->alarmed_at)
			(void)look(r, page);
	}
}

static void revisit(struct run *r, const struct plan_order *order)
{
	struct group *g = group_of(r, order->page);
	bool found;

	if (isnan(r->still)) {
		visit_again(r);
		r->still = now(r) + (r->shared_slot ? 0 : draw_delay(r->draw));
		r->begun = !r->shared_slot;
	}
	found = look(r, order->page);
	g->recent = (g->recent << 1 | found) & 31;
	g->deferred |= __builtin_popcount(g->recent) >= 4; /* (4) */
	r->capture.still[order->page] = r->still;
	plan_done(r->plan, order, PLAN_OK, now(r), now(r));
}

static int visit(struct run *r, const struct plan_order *order, unsigned period)
{
	(void)look(r, order->page);
	r->capture.hopeless[order->page] = order->hopeless;
	plan_done(r->plan, order, PLAN_OK, now(r), now(r));
	if (u32_vec_push(&r->visited, order->page))
		return ERR_NOMEM;
	if (r->visited.len % period == 0)
		send_canary(r);
	return 0;
}

static int run_all(struct run *r, unsigned period)
{
	struct plan_order order;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < r->draw->site.n; i++)
		rc = plan_discovered(r->plan, i, r->draw->site.survival[i], 1);
	while (rc == 0 && plan_next(r->plan, now(r), &order) == PLAN_ORDER) {
		if (order.leg == PLAN_VISIT)
			rc = visit(r, &order, period);
		else if (group_of(r, order.page)->deferred)
			rc = order_list_push(&r->deferred, order);
		else
			revisit(r, &order);
	}
	for (size_t i = 0; rc == 0 && i < r->deferred.len; i++)
		revisit(r, &r->deferred.ptr[i]);
	return rc ? rc : plan_error(r->plan);
}

static int prepare(struct run *r)
{
	int rc = subsites_divide(r->draw, &r->subsites);

	if (rc)
		return rc;
	r->groups = calloc(r->subsites.count, sizeof *r->groups);
	if (!r->groups)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < r->subsites.count; i++)
		r->groups[i].alarmed_at = -INFINITY;
	return past_capture_init(&r->capture, r->draw->site.n);
}

static void release(struct run *r)
{
	plan_run_free(r->plan);
	subsites_release(&r->subsites);
	free(r->groups);
	u32_vec_release(&r->visited);
	order_list_release(&r->deferred);
}

int schedule_canaries(const struct schedule_params *params, unsigned period,
	struct past_capture *ret_capture, struct err *err)
{
	const struct draw *d = params->draw;
	struct plan_params plan = {.strategy = params->strategy,
		.delay = draw_delay(d),
		.tau = params->tau,
		.size = (uint32_t)d->site.n,
		.fast = true};
	struct run r = {.draw = d,
		.randoms = d->params.randoms,
		.still = NAN,
		.shared_slot = params->strategy->shared_slot};
	int rc;

	assert(params->strategy->revisits);
	r.plan = plan_run_new(&plan, err);
	if (!r.plan)
		return err->code;
	rc = prepare(&r);
	if (rc == 0)
		rc = run_all(&r, period ? period : CANARIES_PERIOD);
	if (rc) {
		past_capture_release(&r.capture);
		(void)err_code(err, rc);
	} else {
		*ret_capture = r.capture;
	}
	release(&r);
	return rc;
}
