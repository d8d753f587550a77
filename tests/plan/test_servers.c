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
	test_bad_calls();
	return tap_done();
}
