/* Several servers behind one barrier: orders, who begins when, and when the barrier does not wait.
 */
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "plan/plan.h"
#include "tap.h"

enum { PAGES = 64, SERVERS = 4 };

/* A capture in virtual time: downloads take no time, and each server has its own pause. */
struct world {
	struct plan_params params;
	size_t n;
	struct survival survival[PAGES];
	uint32_t server_of[PAGES];
	double delay[SERVERS];
	struct plan_run *run;
	double time, ready[SERVERS], start[SERVERS];
	struct plan_order orders[SERVERS];
	double visit[PAGES], revisit[PAGES];  /* NAN: none */
	double first[SERVERS], last[SERVERS]; /* visit of each server */
	size_t put_off, late, visited;
	uint32_t
		hidden; /* pages from here on are found when all before them are visited; 0: none */
	double barrier; /* the last visit */
};

static void find(struct world *w, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		CHECK_INT(plan_place(w->run, i, w->server_of[i]), 0);
		CHECK_INT(plan_discovered(w->run, i, w->survival[i], 1), 0);
		CHECK_INT(plan_place(w->run, i, 0), ERR_STATE);
		w->visit[i] = w->revisit[i] = NAN;
	}
}

static void begin(struct world *w)
{
	find(w, 0, w->hidden ? w->hidden : (uint32_t)w->n);
	for (uint32_t s = 0; s < SERVERS; s++) {
		CHECK_INT(plan_pace(w->run, s, w->delay[s]), 0);
		w->start[s] = INFINITY;
		w->first[s] = INFINITY;
	}
}

static void carry_out(struct world *w, uint32_t s)
{
	const struct plan_order *o = &w->orders[s];

	w->time = w->start[s];
	w->start[s] = INFINITY;
	w->ready[s] = w->time + w->delay[s];
	if (o->leg == PLAN_VISIT) {
		CHECK(isnan(w->visit[o->page]));
		w->visit[o->page] = w->barrier = w->time;
		w->first[s] = fmin(w->first[s], w->time);
		w->last[s] = w->time;
		if (++w->visited == w->hidden)
			find(w, w->hidden, (uint32_t)w->n);
	} else if (o->leg == PLAN_REVISIT) {
		CHECK(w->time >= w->barrier);
		w->revisit[o->page] = w->time;
	} else {
		w->late++;
	}
	plan_done(w->run, o, PLAN_OK, w->time, w->time);
}

/* Until the next download, or until a server may begin. */
static bool pass_time(struct world *w)
{
	uint32_t first = 0;

	for (uint32_t s = 1; s < SERVERS; s++)
		if (w->start[s] < w->start[first])
			first = s;
	if (plan_wake(w->run) < w->start[first]) {
		CHECK(plan_wake(w->run) > w->time);
		w->time = plan_wake(w->run);
		return true;
	}
	if (!CHECK(isfinite(w->start[first])))
		return false;
	carry_out(w, first);
	return true;
}

static double capture(struct world *w)
{
	struct err err = {0};
	enum plan_step step = PLAN_WAIT;
	double sharp = 0;

	w->params.orders = 1;
	w->run = plan_run_new(&w->params, &err);
	begin(w);
	for (size_t turn = 0; step != PLAN_END && CHECK(turn < 20 * PAGES); turn++) {
		struct plan_order o;
		uint32_t s;

		step = plan_next(w->run, w->time, &o);
		if (step == PLAN_WAIT && !pass_time(w))
			break;
		if (step != PLAN_ORDER)
			continue;
		s = w->server_of[o.page];
		CHECK(isinf(w->start[s])); /* one order for a server at a time */
		if (o.put_off) {
			w->put_off++;
			plan_done(w->run, &o, PLAN_PUT_OFF, w->time, w->time);
			continue;
		}
		w->orders[s] = o;
		w->start[s] = fmax(w->time, w->ready[s]);
	}
	for (size_t i = 0; i < w->n; i++)
		if (!isnan(w->revisit[i]))
			sharp += survival_at(w->survival[i], w->revisit[i] - w->visit[i]);
	plan_run_free(w->run);
	return sharp;
}

static struct world world_new(const char *strategy, bool eager)
{
	return (struct world){
		.params = {.strategy = plan_strategy_find(strategy, false), .eager = eager},
		.n = PAGES,
		.delay = {0.1, 0.3, 1, 3},
	};
}

static void test_ends_together(void)
{
	struct world w = world_new("stillpoint-offline", false);

	tap_case("the slowest begins first, and all end together");
	for (uint32_t i = 0; i < w.n; i++) {
		w.server_of[i] = i % SERVERS;
		w.survival[i] = survival_poisson(0.001 * (i + 1));
	}
	(void)capture(&w);
	CHECK(w.first[3] == 0);
	for (uint32_t s = 0; s < SERVERS; s++) {
		CHECK(w.first[s] >= 45 - 1.1 * 15 * w.delay[s]);
		CHECK(w.last[s] >= 45 - 3 && w.last[s] <= 45);
	}
	CHECK_INT(w.put_off, 0);
}

/* On any site: what is planned expects no less than what is not, and no more than the bound. */
static void test_planned_against_eager(void)
{
	double planned_sum = 0, eager_sum = 0, bound_sum = 0;
	struct rng rng;

	tap_case("planned, unplanned and the bound");
	rng_init(&rng, 21);
	for (size_t round = 0; round < tap_rounds(20); round++) {
		struct world planned = world_new("stillpoint-offline", false), eager;
		double bound = 0, got, unplanned;

		for (uint32_t i = 0; i < planned.n; i++) {
			planned.server_of[i] = (uint32_t)rng_below(&rng, SERVERS);
			planned.survival[i] = survival_poisson(exp(2 * rng_normal(&rng) - 5));
		}
		eager = planned;
		eager.params.eager = true;
		for (uint32_t s = 0; s < SERVERS; s++) {
			struct survival survival[PAGES];
			struct plan_limit limit;
			size_t n = 0;

			for (size_t i = 0; i < planned.n; i++)
				if (planned.server_of[i] == s)
					survival[n++] = planned.survival[i];
			CHECK_INT(
				plan_limit(survival, NULL, n, planned.delay[s], false, &limit), 0);
			bound += limit.bound;
		}
		got = capture(&planned);
		unplanned = capture(&eager);
		CHECK(got <= bound * (1 + 1e-9));
		CHECK(got >= unplanned * 0.99);
		planned_sum += got;
		eager_sum += unplanned;
		bound_sum += bound;
	}
	tap_note("planned %.1f, unplanned %.1f, bound %.1f", planned_sum, eager_sum, bound_sum);
	CHECK(planned_sum > eager_sum);
}

/*
 * A slow server whose pages are found when the others are done: hot pages there do not wait for it,
 * cold ones do.
 */
static void test_barrier_does_not_wait(void)
{
	static const struct {
		const char *label;
		double rate;
		bool waits;
	} ROWS[] = {{"cold pages wait", 1e-6, true}, {"hot pages do not", 0.05, false}};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct world w = world_new("stillpoint-online", false);

		tap_case("barrier: %s", ROWS[i].label);
		for (uint32_t k = 0; k < w.n; k++) {
			w.server_of[k] = k < w.n - 8 ? k % 2 : 3;
			w.survival[k] = survival_poisson(k < w.n - 8 ? ROWS[i].rate : 0.2);
		}
		w.delay[3] = 60;
		w.hidden = (uint32_t)w.n - 8;
		w.params.size = (uint32_t)w.n;
		(void)capture(&w);
		if (ROWS[i].waits)
			CHECK_INT(w.put_off, 0);
		else
			CHECK(w.put_off > 0);
		CHECK_INT(w.late, w.put_off); /* each once */
	}
}

/* ---- the time at which a server that is held back may begin ---- */

/* A capture whose downloads take any time, and in which anything may happen between them. */
struct turmoil {
	struct world w;
	struct rng rng;
	double promised; /* plan_wake of the last answer, if nothing has happened since; else NAN */
	size_t idle;     /* answers without an order since something happened */
	bool ended;      /* the visits */
	size_t orders, waits;
};

/* From 0 to 10^3, most of them small: the pause of a server, or the time that a download takes. */
static double any_time(struct rng *rng, double least)
{
	return rng_below(rng, 4) == 0 ? least : fmax(least, pow(10, 6 * rng_double(rng) - 3));
}

static void happened(struct turmoil *t)
{
	t->promised = NAN;
	t->idle = 0;
}

/* The order of a server comes to its end, or is given back. */
static void end_order(struct turmoil *t, uint32_t s)
{
	static const enum plan_outcome OUTCOMES[] = {
		PLAN_OK, PLAN_OK, PLAN_OK, PLAN_OK, PLAN_RETRY, PLAN_FAILED, PLAN_RETURNED};
	struct world *w = &t->w;

	w->time = fmax(w->time, w->ready[s]);
	w->visited++;
	if (w->visited == w->hidden)
		find(w, w->hidden, (uint32_t)w->n);
	plan_done(w->run, &w->orders[s], OUTCOMES[rng_below(&t->rng, ARRAY_LEN(OUTCOMES))],
		w->start[s], w->time);
	w->start[s] = w->ready[s] = INFINITY;
	happened(t);
}

static void disturb(struct turmoil *t)
{
	struct world *w = &t->w;
	uint32_t any = (uint32_t)rng_below(&t->rng, w->n);

	switch (rng_below(&t->rng, 40)) {
	case 0:
		(void)plan_withdraw(w->run, any);
		break;
	case 1:
		(void)plan_retry(w->run, any);
		break;
	case 2:
		CHECK_INT(plan_pace(w->run, any % SERVERS, any_time(&t->rng, 1e-9)), 0);
		break;
	case 3:
		if (rng_below(&t->rng, 20) == 0) {
			plan_end_visits(w->run);
			t->ended = true;
		}
		break;
	default:
		return;
	}
	happened(t);
}

/* The time goes on to what comes next: a download that ends, the planned begin, or in between. */
static bool let_time_pass(struct turmoil *t)
{
	struct world *w = &t->w;
	double wake = plan_wake(w->run), end = INFINITY;
	uint32_t first = 0;

	for (uint32_t s = 0; s < SERVERS; s++)
		if (w->ready[s] < end)
			end = w->ready[first = s];
	if (!CHECK(isfinite(wake) || isfinite(end)))
		return false;
	if (wake < end && rng_below(&t->rng, 3) == 0)
		w->time += rng_double(&t->rng) * (wake - w->time);
	else if (wake < end)
		w->time = wake;
	else
		end_order(t, first);
	return true;
}

/* An answer without an order: what was promised before it is kept. */
static void check_wait(struct turmoil *t)
{
	double wake = plan_wake(t->w.run);

	t->waits++;
	CHECK(wake > t->w.time);
	if (t->ended)
		CHECK(isinf(wake));
	if (!isnan(t->promised) && t->w.time < t->promised)
		CHECK(wake == t->promised);
	else
		CHECK(++t->idle <= SERVERS + 1);
	t->promised = wake;
}

static void take_order(struct turmoil *t, const struct plan_order *o)
{
	uint32_t s = t->w.server_of[o->page];

	t->orders++;
	CHECK(isinf(t->w.ready[s]));
	happened(t);
	if (o->put_off) {
		plan_done(t->w.run, o, PLAN_PUT_OFF, t->w.time, t->w.time);
		return;
	}
	t->w.orders[s] = *o;
	t->w.start[s] = t->w.time;
	t->w.ready[s] = t->w.time + any_time(&t->rng, 0);
}

static void run_turmoil(struct turmoil *t)
{
	struct err err = {0};
	enum plan_step step = PLAN_WAIT;

	t->w.run = plan_run_new(&t->w.params, &err);
	begin(&t->w);
	for (uint32_t s = 0; s < SERVERS; s++)
		t->w.ready[s] = INFINITY;
	happened(t);
	for (size_t turn = 0; step != PLAN_END && CHECK(turn < 400 * PAGES); turn++) {
		struct plan_order o;

		disturb(t);
		step = plan_next(t->w.run, t->w.time, &o);
		if (step == PLAN_ORDER)
			take_order(t, &o);
		if (step == PLAN_WAIT)
			check_wait(t);
		if (step == PLAN_WAIT && !let_time_pass(t))
			break;
	}
	plan_run_free(t->w.run);
}

static void test_begin_is_firm(void)
{
	size_t orders = 0, waits = 0;
	struct rng rng;

	tap_case("when a server may begin stays as it is while nothing happens");
	rng_init(&rng, 14);
	for (size_t round = 0; round < tap_rounds(200); round++) {
		bool online = rng_below(&rng, 2);
		struct turmoil t = {
			.w = world_new(online ? "stillpoint-online" : "stillpoint-offline", false)};

		t.w.n = 1 + rng_below(&rng, PAGES);
		t.w.hidden = online ? (uint32_t)rng_below(&rng, t.w.n) : 0;
		t.w.params.orders = 1;
		t.w.params.size = (uint32_t)rng_below(&rng, 2 * PAGES);
		for (uint32_t i = 0; i < t.w.n; i++) {
			t.w.server_of[i] = (uint32_t)rng_below(&rng, SERVERS);
			t.w.survival[i] = survival_poisson(exp(2 * rng_normal(&rng) - 5));
		}
		for (uint32_t s = 0; s < SERVERS; s++)
			t.w.delay[s] = any_time(&rng, 1e-9);
		t.rng = rng;
		run_turmoil(&t);
		rng = t.rng;
		orders += t.orders;
		waits += t.waits;
	}
	tap_note("%zu orders, %zu times none", orders, waits);
	CHECK(waits > orders / 10);
}

static void test_bad_calls(void)
{
	struct plan_params params = {.strategy = plan_strategy_find("bfs-lifo", false)};
	struct err err = {0};
	struct plan_run *run = plan_run_new(&params, &err);

	tap_case("bad calls");
	CHECK_INT(plan_place(run, 0, PLAN_SERVERS_MAX), ERR_RANGE);
	CHECK_INT(plan_place(run, UINT32_MAX, 0), ERR_RANGE);
	CHECK_INT(plan_pace(run, 0, 0), ERR_RANGE);
	CHECK_INT(plan_pace(run, 0, INFINITY), ERR_RANGE);
	CHECK_INT(plan_pace(run, PLAN_SERVERS_MAX, 1), ERR_RANGE);
	CHECK(isinf(plan_wake(run)));
	plan_run_free(run);
}

int main(void)
{
	test_ends_together();
	test_planned_against_eager();
	test_barrier_does_not_wait();
	test_begin_is_firm();
	test_bad_calls();
	return tap_done();
}
