/*
 * Random captures of every strategy, followed by a model of what plan.h promises, call by call;
 * their logs are replayed.
 */
#include "plan/plan.h"

#include <stdio.h>

#include "base/vec.h"
#include "graphs.h"

/* What a page is doing, by what plan.h promises. */
enum stage {
	UNKNOWN,
	WAITING,
	FLYING,
	OVER, /* nothing more is to happen to it */
};

struct model_page {
	enum stage stage;
	enum plan_leg leg; /* the one it waits or flies in */
	unsigned attempts; /* in that leg */
	bool returned;     /* its last order was not carried out */
	bool put_off;      /* to the late leg */
	bool seen;         /* had an order before, so hopeless is known */
	bool hopeless;
};

enum call_kind { DISCOVERED, NEXT, DONE, END_VISITS, CANCEL };

struct call {
	enum call_kind kind;
	double begin, end; /* NEXT: now in end */
	enum plan_step step;
	enum plan_outcome outcome;
	struct plan_order order; /* DISCOVERED: its page */
};

VEC_DECLARE(call_log, struct call);

enum { FLIGHTS_MAX = 8 };

struct flight {
	struct plan_order order;
	double begin;
	bool links_told;
};

struct world {
	struct rng rng;
	struct graph graph;
	uint32_t early; /* links to pages from here on appear at the revisit only */
	struct plan_params params;
	unsigned limit; /* of attempts */
	double trouble; /* probability that an order does not go well */
	size_t parallel;
	bool may_cut, may_cancel;

	struct plan_run *run;
	double now;
	struct flight flights[FLIGHTS_MAX];
	size_t flying;
	struct call_log log;

	struct model_page *pages;
	struct plan_progress want;
	size_t cut_pages; /* given up by the cut: counted at the barrier at the latest */
	bool visits_over, cut, cancelled, ended;
	bool ok;
};

static bool has_revisits(const struct world *w)
{
	return w->params.strategy->revisits && !w->params.single;
}

/* How many pages of the leg wait, without those that only wait for a retry if so wanted. */
static size_t waiting_in(const struct world *w, enum plan_leg leg, bool fresh)
{
	size_t count = 0;

	for (size_t i = 0; i < w->graph.n; i++) {
		const struct model_page *p = &w->pages[i];

		count += p->stage == WAITING && p->leg == leg && !(fresh && p->attempts);
	}
	return count;
}

static size_t returned_count(const struct world *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->graph.n; i++)
		count += w->pages[i].stage == WAITING && w->pages[i].returned;
	return count;
}

/* The first leg in which something is still to do; past the last when all is done. */
static enum plan_leg present_leg(const struct world *w)
{
	enum plan_leg leg = PLAN_LATE + 1;

	for (size_t i = 0; i < w->graph.n; i++) {
		const struct model_page *p = &w->pages[i];

		if ((p->stage == WAITING || p->stage == FLYING) && p->leg < leg)
			leg = p->leg;
	}
	return leg;
}

static void note_call(struct world *w, struct call call)
{
	if (call_log_push(&w->log, call))
		abort();
}

static void check_progress(struct world *w)
{
	struct plan_progress p = plan_progress(w->run);
	bool ok = CHECK_INT(p.known, w->want.known);

	ok &= CHECK_INT(p.visited, w->want.visited);
	ok &= CHECK_INT(p.revisited, w->want.revisited);
	ok &= CHECK_INT(p.late, w->want.late);
	ok &= CHECK_INT(p.in_flight, w->flying);
	ok &= CHECK(p.failed <= w->want.failed && p.failed + w->cut_pages >= w->want.failed);
	ok &= CHECK(p.size >= (double)p.known);
	ok &= CHECK(p.leg == PLAN_VISIT || has_revisits(w));
	if (w->ended && !w->cancelled)
		ok &= CHECK_INT(p.visited + p.late + p.failed, p.known);
	w->ok &= ok;
}

static void world_discover(struct world *w, uint32_t page)
{
	struct model_page *p = &w->pages[page];
	bool known = p->stage != UNKNOWN;
	/* What is said of a page that is known already must not matter. */
	double rate = known ? power_between(&w->rng, -6, 2) : w->graph.rate[page];

	note_call(w, (struct call){.kind = DISCOVERED, .order = {.page = page}, .begin = rate});
	w->ok &= CHECK_INT(plan_discovered(w->run, page, survival_poisson(rate), 1), 0);
	if (!known) {
		w->want.known++;
		p->stage = WAITING;
		p->leg = w->visits_over ? PLAN_LATE : PLAN_VISIT;
		if (w->visits_over && !has_revisits(w)) {
			p->stage = OVER;
			w->want.failed++;
		}
	}
	check_progress(w);
}

/* All links that the page shows in this leg, some of them twice. */
static void world_discover_links(struct world *w, const struct plan_order *o)
{
	const struct graph *g = &w->graph;

	for (size_t i = g->from[o->page]; i < g->from[o->page + 1]; i++) {
		if (g->links[i] >= w->early && o->leg == PLAN_VISIT)
			continue;
		world_discover(w, g->links[i]);
		if (rng_below(&w->rng, 8) == 0)
			world_discover(w, g->links[i]);
	}
}

static void check_order(struct world *w, const struct plan_order *o)
{
	struct model_page *p = &w->pages[o->page];
	bool ok = CHECK(o->page < w->graph.n) && CHECK_INT(p->stage, WAITING);

	ok &= CHECK(!w->cancelled);
	ok &= CHECK_INT(o->leg, present_leg(w)); /* the barrier, seen from both sides */
	ok &= CHECK_INT(o->leg, p->leg);
	ok &= CHECK_INT(o->attempt, p->attempts + 1);
	ok &= CHECK(o->attempt <= w->limit + p->put_off); /* once more */
	if (returned_count(w) > 0)
		ok &= CHECK(p->returned);
	else if (p->attempts > 0 && !p->put_off)
		ok &= CHECK_INT(waiting_in(w, o->leg, true), 0);
	if (p->seen)
		ok &= CHECK_INT(o->hopeless, p->hopeless);
	w->ok &= ok;
	p->stage = FLYING;
	p->attempts++;
	p->returned = false;
	p->seen = true;
	p->hopeless = o->hopeless;
}

static enum plan_step world_next(struct world *w)
{
	struct plan_order o = {0};
	enum plan_step step = plan_next(w->run, w->now, &o);

	note_call(w, (struct call){.kind = NEXT, .end = w->now, .step = step, .order = o});
	switch (step) {
	case PLAN_ORDER:
		check_order(w, &o);
		w->flights[w->flying++] = (struct flight){.order = o, .begin = w->now};
		w->visits_over |= o.leg != PLAN_VISIT;
		break;
	case PLAN_WAIT:
		w->ok &= CHECK(w->flying > 0);
		w->ok &= CHECK(w->cancelled || waiting_in(w, present_leg(w), false) == 0);
		break;
	case PLAN_END:
		w->ok &= CHECK_INT(w->flying, 0);
		w->ok &= CHECK(w->cancelled || present_leg(w) > PLAN_LATE);
		w->ended = true;
		break;
	}
	check_progress(w);
	if (step == PLAN_ORDER && w->ok && rng_below(&w->rng, 4) == 0) {
		world_discover_links(w, &o);
		w->flights[w->flying - 1].links_told = true;
	}
	return step;
}

static void model_give_up(struct world *w, struct model_page *p)
{
	p->stage = OVER;
	w->want.failed += p->leg != PLAN_REVISIT && !p->put_off;
}

static void model_put_off(struct world *w, struct model_page *p)
{
	bool later = p->leg == PLAN_VISIT && has_revisits(w) && !w->cancelled;

	model_give_up(w, p);
	if (!later)
		return;
	p->put_off = true;
	p->stage = WAITING;
	p->leg = PLAN_LATE;
}

static void model_ok(struct world *w, struct model_page *p)
{
	p->stage = OVER;
	switch (p->leg) {
	case PLAN_VISIT:
		w->want.visited++;
		if (has_revisits(w)) {
			p->stage = WAITING;
			p->leg = PLAN_REVISIT;
			p->attempts = 0;
		}
		break;
	case PLAN_REVISIT:
		w->want.revisited++;
		break;
	case PLAN_LATE:
		w->want.late++;
		w->want.failed -= p->put_off;
		break;
	}
}

static void model_done(struct world *w, struct model_page *p, enum plan_outcome outcome)
{
	bool over = w->cancelled || (p->leg == PLAN_VISIT && w->cut);

	switch (outcome) {
	case PLAN_OK:
		model_ok(w, p);
		break;
	case PLAN_RETRY:
		p->stage = WAITING;
		if (over || p->attempts == w->limit || p->put_off)
			model_give_up(w, p);
		break;
	case PLAN_FAILED:
		model_give_up(w, p);
		break;
	case PLAN_PUT_OFF:
		model_put_off(w, p);
		break;
	case PLAN_RETURNED:
		p->stage = WAITING;
		p->attempts--;
		p->returned = true;
		if (over)
			model_give_up(w, p);
		break;
	}
}

static enum plan_outcome draw_outcome(struct world *w)
{
	static const enum plan_outcome bad[] = {
		PLAN_RETRY, PLAN_RETRY, PLAN_FAILED, PLAN_RETURNED, PLAN_RETURNED, PLAN_PUT_OFF};

	if (rng_double(&w->rng) >= w->trouble)
		return PLAN_OK;
	return bad[rng_below(&w->rng, ARRAY_LEN(bad))];
}

/* One of the orders in flight is done; its links are told before or after that. */
static void world_done(struct world *w)
{
	size_t i = rng_below(&w->rng, w->flying);
	struct flight f = w->flights[i];
	enum plan_outcome outcome = draw_outcome(w);
	bool tell = outcome == PLAN_OK && !f.links_told, before = rng_below(&w->rng, 2);

	w->now += rng_exponential(&w->rng, 1);
	if (tell && before)
		world_discover_links(w, &f.order);
	note_call(w, (struct call){.kind = DONE,
			     .begin = f.begin,
			     .end = w->now,
			     .outcome = outcome,
			     .order = f.order});
	plan_done(w->run, &f.order, outcome, f.begin, w->now);
	w->flights[i] = w->flights[--w->flying];
	model_done(w, &w->pages[f.order.page], outcome);
	check_progress(w);
	if (tell && !before)
		world_discover_links(w, &f.order);
}

static void world_cut(struct world *w)
{
	note_call(w, (struct call){.kind = END_VISITS});
	plan_end_visits(w->run);
	w->cut = w->visits_over = true;
	for (size_t i = 0; i < w->graph.n; i++) {
		struct model_page *p = &w->pages[i];

		if (p->stage == WAITING && p->leg == PLAN_VISIT) {
			model_give_up(w, p);
			w->cut_pages++;
		}
	}
	check_progress(w);
}

static void world_cancel(struct world *w)
{
	note_call(w, (struct call){.kind = CANCEL});
	plan_cancel(w->run);
	w->cancelled = true;
	check_progress(w);
}

static void world_drive(struct world *w)
{
	size_t seeds = w->early;

	if (rng_below(&w->rng, 3) && seeds > 3)
		seeds = 1 + rng_below(&w->rng, 3);
	for (uint32_t i = 0; i < seeds; i++)
		world_discover(w, i);
	/* Attempts are limited and orders come back with a probability below 1/2. */
	for (size_t steps = 0; w->ok && !w->ended && CHECK(steps < 1000 + 100 * w->graph.n);
		steps++) {
		bool wait;

		if (w->may_cut && !w->cut && rng_below(&w->rng, 50) == 0)
			world_cut(w);
		if (w->may_cancel && !w->cancelled && rng_below(&w->rng, 80) == 0)
			world_cancel(w);
		wait = w->flying == w->parallel || (w->flying && rng_below(&w->rng, 2));
		if (wait || (world_next(w) == PLAN_WAIT && w->flying))
			world_done(w);
	}
	if (w->ok && w->ended && !w->cancelled)
		w->ok &= CHECK_INT(plan_progress(w->run).failed, w->want.failed);
	w->ok &= CHECK_INT(plan_error(w->run), 0);
}

static bool same_order(const struct plan_order *a, const struct plan_order *b)
{
	return a->page == b->page && a->leg == b->leg && a->attempt == b->attempt &&
	       a->hopeless == b->hopeless;
}

/* Makes the logged calls again; whether plan_next answered as it did, or plan_impose obeyed. */
static bool replay(struct plan_run *run, const struct call_log *log, bool impose)
{
	bool same = true;

	for (size_t i = 0; i < log->len && same; i++) {
		const struct call *c = &log->ptr[i];
		struct plan_order o = {0};

		switch (c->kind) {
		case DISCOVERED:
			same = CHECK_INT(
				plan_discovered(run, c->order.page, survival_poisson(c->begin), 1),
				0);
			break;
		case NEXT:
			same = impose ? CHECK_INT(plan_impose(run,
							  c->step == PLAN_ORDER ? &c->order : NULL,
							  c->end),
						0)
				      : CHECK_INT(plan_next(run, c->end, &o), c->step) &&
						CHECK(same_order(&o, &c->order));
			break;
		case DONE:
			plan_done(run, &c->order, c->outcome, c->begin, c->end);
			break;
		case END_VISITS:
			plan_end_visits(run);
			break;
		case CANCEL:
			plan_cancel(run);
			break;
		}
	}
	return same;
}

/* By that strategy, which may be another one: then the orders of the log are imposed. */
static void world_replay(struct world *w, const struct plan_strategy *strategy, bool impose)
{
	struct plan_params params = w->params;
	struct plan_progress a = plan_progress(w->run), b;
	struct plan_run *again;

	params.strategy = strategy;
	again = run_new(&params);
	w->ok &= replay(again, &w->log, impose);
	b = plan_progress(again);
	w->ok &= CHECK(a.leg == b.leg && a.known == b.known && a.visited == b.visited &&
		       a.revisited == b.revisited && a.late == b.late && a.failed == b.failed &&
		       a.in_flight == b.in_flight &&
		       (a.size == b.size || strategy != w->params.strategy));
	plan_run_free(again);
}

static void world_init(struct world *w, const struct plan_strategy *strategy, uint64_t seed)
{
	static const double trouble[] = {0, 0.1, 0.5};
	static const double sizes[] = {0, 0.5, 1, 2};
	size_t n;

	*w = (struct world){.ok = true};
	rng_init(&w->rng, seed);
	n = rng_below(&w->rng, 40);
	w->graph = graph_random(&w->rng, n, rng_below(&w->rng, 2 * n + 1));
	graph_set_rates(&w->graph, &w->rng, (enum rates)rng_below(&w->rng, RATES_KINDS));
	w->early = (uint32_t)(n - rng_below(&w->rng, n / 2 + 1));
	w->pages = need(n, sizeof *w->pages);
	w->params = (struct plan_params){
		.strategy = strategy,
		.delay = rng_below(&w->rng, 2) ? power_between(&w->rng, -2, 2) : 0,
		.size = (uint32_t)(sizes[rng_below(&w->rng, 4)] * (double)n),
		.attempts = (unsigned)rng_below(&w->rng, 4),
		.single = rng_below(&w->rng, 5) == 0,
		.fast = rng_below(&w->rng, 2),
	};
	w->limit = w->params.attempts ? w->params.attempts : PLAN_ATTEMPTS;
	w->trouble = trouble[rng_below(&w->rng, ARRAY_LEN(trouble))];
	w->parallel = 1 + rng_below(&w->rng, FLIGHTS_MAX);
	w->may_cut = rng_below(&w->rng, 4) == 0;
	w->may_cancel = rng_below(&w->rng, 6) == 0;
	w->run = run_new(&w->params);
}

static void world_release(struct world *w)
{
	plan_run_free(w->run);
	graph_release(&w->graph);
	free(w->pages);
	call_log_release(&w->log);
}

/* What the random captures of a strategy have come through: nothing is proven by what never was. */
struct coverage {
	size_t revisits, late, failed, cut, cancelled;
};

static void cover(struct coverage *c, const struct world *w)
{
	c->revisits += w->want.revisited;
	c->late += w->want.late;
	c->failed += w->want.failed - w->cut_pages;
	c->cut += w->cut_pages;
	c->cancelled += w->cancelled;
}

/* One of the others, with as many legs; itself where there is none. */
static const struct plan_strategy *another(const struct plan_strategy *s, size_t seed)
{
	const struct plan_strategy *other = plan_strategy_at(seed % 20);

	return other && !other->revisits == !s->revisits ? other : s;
}

static void test_worlds(void)
{
	enum { WORLDS = 120 };
	const struct plan_strategy *s;

	for (size_t i = 0; (s = plan_strategy_at(i)); i++) {
		struct coverage seen = {0};

		tap_case("random captures: %s", s->name);
		for (uint64_t seed = 1; seed <= WORLDS; seed++) {
			struct world w;
			bool ok;

			world_init(&w, s, seed);
			world_drive(&w);
			world_replay(&w, s, false);
			world_replay(&w, s, true);
			world_replay(&w, another(s, seed), true);
			cover(&seen, &w);
			ok = w.ok;
			world_release(&w);
			if (!ok) {
				tap_note("seed %d", (int)seed);
				break;
			}
		}
		CHECK(seen.failed > 20 && seen.cut > 20 && seen.cancelled > 5);
		CHECK(!s->revisits || (seen.revisits > 500 && seen.late > 50));
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_worlds();
	return tap_done();
}
