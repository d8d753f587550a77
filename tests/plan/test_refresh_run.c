/* A watch: its invariants, what it does with the budget, births, deaths, signals, restarts. */
#include "plan/refresh_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "plan/refresh_allocate.h"
#include "tap.h"

enum { N = 200 };

struct watch {
	struct refresh_run *run;
	size_t looks[N], total;
	double now, last[N];
	bool dead[N];
};

static double rate_of(size_t page)
{
	return 0.02 * exp(0.03 * (double)page);
}

static struct watch begin(struct refresh_params params)
{
	struct watch w = {.run = NULL};
	struct err err = {0};

	params.start = 1000;
	w.run = refresh_run_new(&params, &err);
	CHECK_STR(err.text, "");
	w.now = params.start;
	for (uint32_t i = 0; i < N; i++) {
		CHECK_INT(refresh_discovered(w.run, i,
				  &(struct refresh_facts){
					  .rate = rate_of(i), .weight = 1, .group = 1 + i / 20}),
			0);
		refresh_seen(w.run, i, &(struct refresh_look){REFRESH_SAME, w.now, -1, 0});
		w.last[i] = w.now;
	}
	return w;
}

/* Runs until a time; pages answer at once, unchanged unless they are dead. */
static void run_until(struct watch *w, double end)
{
	struct refresh_order order;

	while (w->now < end) {
		double until = INFINITY;

		if (refresh_next(w->run, w->now, &order, &until) == REFRESH_WAIT) {
			CHECK(until > w->now);
			w->now = until;
			continue;
		}
		CHECK(order.page < N);
		w->looks[order.page]++;
		w->total++;
		w->last[order.page] = w->now;
		refresh_done(w->run, &order,
			&(struct refresh_look){
				w->dead[order.page] ? REFRESH_GONE : REFRESH_SAME, w->now, -1, 0});
	}
	w->now = end;
}

static struct refresh_params plain(const char *policy)
{
	return (struct refresh_params){.policy = refresh_policy_find(policy),
		.budget = 40,
		.aim = {.grid = 1},
		.audit = -1,
		.explore = -1,
		.birth = -1};
}

/* Looks follow the optimum of plan/refresh_allocate.h, which is computed in another way. */
static void test_optimum(void)
{
	static const struct {
		const char *policy;
		enum refresh_objective objective;
	} ROWS[] = {{"fresh", REFRESH_FRESH_PERIODIC}, {"age", REFRESH_AGE_PERIODIC},
		{"harmonic", REFRESH_HARMONIC_POISSON}};

	for (size_t k = 0; k < ARRAY_LEN(ROWS); k++) {
		struct refresh_page pages[N];
		double want[N], got[N], best, reached, days = 400;
		struct watch w = begin(plain(ROWS[k].policy));

		tap_case("%s: within 0.1 %% of the optimum", ROWS[k].policy);
		for (size_t i = 0; i < N; i++)
			pages[i] = (struct refresh_page){rate_of(i), 1};
		(void)refresh_optimum(ROWS[k].objective, pages, N, 40, want);
		run_until(&w, w.now + 200);
		for (size_t i = 0; i < N; i++)
			w.looks[i] = 0;
		run_until(&w, w.now + days);
		for (size_t i = 0; i < N; i++)
			got[i] = (double)w.looks[i] / days;
		best = refresh_total(ROWS[k].objective, pages, N, want);
		reached = refresh_total(ROWS[k].objective, pages, N, got);
		CHECK_NEAR(reached / best, 1, 1e-3);
		refresh_run_free(w.run);
	}
}

static void test_budget(void)
{
	for (size_t k = 0; refresh_policy_at(k); k++) {
		struct refresh_params params = plain(refresh_policy_at(k)->name);
		struct watch w = begin(params), other = begin(params);
		double spent;

		tap_case("%s: keeps to the budget, is the same twice", refresh_policy_at(k)->name);
		run_until(&w, w.now + 60);
		run_until(&other, other.now + 60);
		CHECK(w.total <= 60 * 40 + 2);
		CHECK_INT((long long)w.total, (long long)other.total);
		for (size_t i = 0; i < N; i++)
			CHECK(w.looks[i] == other.looks[i]);
		if (!refresh_policy_at(k)->patient && k != 8) /* sample ends its cycle early */
			CHECK(w.total >= 60 * 40 - 2);
		spent = (double)w.total;
		refresh_set_budget(w.run, 80, w.now);
		refresh_spend(w.run, 40);
		run_until(&w, w.now + 30);
		CHECK((double)w.total - spent <= 30 * 80 - 40 + 62);
		refresh_run_free(w.run);
		refresh_run_free(other.run);
	}
}

/* hacs: a page is looked at when it has changed with probability θ; late only by the budget. */
static void test_threshold(void)
{
	struct refresh_params params = plain("hacs");
	struct watch w;

	tap_case("hacs: interval -ln(1-θ)/λ, whatever the budget was before");
	params.aim.theta = 0.5;
	params.budget = 0.01;
	w = begin(params);
	refresh_set_budget(w.run, 4000, w.now);
	run_until(&w, w.now + 100);
	for (size_t i = 0; i < N; i += 20)
		CHECK_NEAR(
			(double)w.looks[i], 100 * rate_of(i) / log(2), 2 + (double)w.looks[i] / 20);
	refresh_run_free(w.run);
}

/* sharp: pages that pay are looked at every L, λ²L² e^(-λL) = κλ; others are given up. */
static void test_sharp(void)
{
	struct refresh_params params = plain("sharp");
	struct refresh_status s;
	struct watch w;

	tap_case("sharp: the optimum for periodic looks, a page pays while λ <= w/(eκ)");
	params.budget = 10;
	w = begin(params);
	run_until(&w, w.now + 1000);
	s = refresh_status(w.run);
	for (size_t i = 0; i < N; i += 10) {
		double rate = rate_of(i), pays = 1 / (exp(1) * s.curve.middle);

		if (rate > 1.1 * pays)
			CHECK(w.looks[i] <= 2);
		if (rate < 0.9 * pays) {
			double x = rate * 1000 / (double)w.looks[i];

			CHECK_NEAR(x * x * exp(-x), s.curve.middle * rate,
				0.1 * s.curve.middle * rate);
		}
	}
	refresh_run_free(w.run);
}

/* sharp with two looks for each instant: nearly all pages get one on each side, within half a
 * grid. Dead pages leave budget unused: nobody sleeps through what is due because of that. */
static void test_pairs(void)
{
	struct refresh_params params = plain("sharp");
	struct watch w;
	size_t missed = 0;

	tap_case("sharp: pairs lie around every instant");
	params.budget = 2 * N;
	w = begin(params);
	for (size_t i = 0; i < N / 5; i++)
		w.dead[i] = true;
	run_until(&w, w.now + 20.5);
	for (int day = 0; day < 100; day++) {
		double before[N];

		run_until(&w, floor(w.now) + 1);
		memcpy(before, w.last, sizeof before);
		run_until(&w, w.now + 0.55);
		for (size_t i = N / 5; i < N; i++)
			missed += before[i] < w.now - 0.55 - 0.6 || w.last[i] == before[i];
	}
	CHECK(missed <= N * 100 / 1000);
	refresh_run_free(w.run);
}

static void test_death(void)
{
	struct watch w;
	struct refresh_params params = plain("uniform");
	struct refresh_status s;
	size_t before;

	tap_case("death: confirmed, then ever more rarely; alive again");
	w = begin(params);
	w.dead[7] = true;
	run_until(&w, w.now + 20);
	s = refresh_status(w.run);
	CHECK_INT((long long)s.dead, 1);
	CHECK_INT((long long)s.living, N - 1);
	before = w.looks[7];
	run_until(&w, w.now + 400);
	CHECK(w.looks[7] > before && w.looks[7] < before + 12);
	CHECK(w.looks[6] > 70);
	w.dead[7] = false;
	run_until(&w, w.now + 600);
	CHECK_INT((long long)refresh_status(w.run).living, N);
	refresh_run_free(w.run);
}

static void test_birth(void)
{
	struct watch w;
	struct refresh_params params = plain("fresh");
	struct refresh_order order;
	double until;

	tap_case("birth: hubs are looked at with a share of the budget");
	params.birth = 0.1;
	w = begin(params);
	refresh_seen(w.run, 3, &(struct refresh_look){REFRESH_CHANGED, w.now + 0.01, -1, 50});
	w.now += 1;
	for (int i = 0; i < 400; i++)
		if (refresh_next(w.run, w.now, &order, &until) == REFRESH_WAIT) {
			w.now = until;
		} else {
			w.looks[order.page]++;
			refresh_done(w.run, &order,
				&(struct refresh_look){
					REFRESH_SAME, w.now, -1, order.page == 3 ? 5 : 0});
		}
	CHECK(w.looks[3] >= 10);
	tap_case("birth: what was never looked at comes in, in its order");
	CHECK_INT(
		refresh_discovered(w.run, N - 1, &(struct refresh_facts){.rate = 0.1, .weight = 2}),
		0);
	CHECK_INT(refresh_discovered(w.run, N, &(struct refresh_facts){.rate = -1}), ERR_RANGE);
	CHECK_INT((long long)refresh_status(w.run).unseen, 0);
	CHECK_INT(
		refresh_discovered(w.run, N + 5, &(struct refresh_facts){.rate = 0.1, .weight = 1}),
		0);
	CHECK_INT((long long)refresh_status(w.run).unseen, 1);
	CHECK_INT((long long)refresh_status(w.run).pages, N + 1);
	refresh_run_free(w.run);
}

/* Ten pages of a hundred or none at all do not answer; there is far more budget than is due. */
static void test_pauses(void)
{
	for (uint32_t failing = 10; failing <= N; failing += N - 10) {
		struct refresh_params params = plain("fresh");
		struct refresh_order order;
		size_t failed = 0, other = 0;
		struct watch w;
		double until, end;

		tap_case("pauses: %u pages that do not answer get none of the rest", failing);
		params.budget = 4000;
		w = begin(params);
		for (end = w.now + 1; w.now < end;) {
			if (refresh_next(w.run, w.now, &order, &until) == REFRESH_WAIT) {
				CHECK(until > w.now);
				w.now = fmin(until, end);
				continue;
			}
			failed += order.page < failing;
			other += order.page >= failing;
			refresh_done(w.run, &order,
				&(struct refresh_look){
					order.page < failing ? REFRESH_FAILED : REFRESH_SAME, w.now,
					-1, 0});
		}
		CHECK(failed > 0 &&
			failed <= (size_t)10 * failing); /* pauses double: 7 tries a day */
		CHECK(failing == N || other > 3900 - failed);
		refresh_run_free(w.run);
	}
}

/* New pages come to a site whose pages are all due all the time. */
static void test_first_copies(void)
{
	static const char *const POLICIES[] = {"fresh", "hacs", "uniform", "sharp", "sample"};
	enum { FRESH = 2000 };

	for (size_t k = 0; k < ARRAY_LEN(POLICIES); k++) {
		struct refresh_params params = plain(POLICIES[k]);
		struct refresh_order order;
		size_t first = 0, again = 0;
		struct watch w;
		double until, end;

		tap_case("%s: first copies come before second looks, which do not stop",
			POLICIES[k]);
		params.birth = params.explore = 0; /* as usual */
		params.aim.theta = 0.01;
		w = begin(params);
		for (uint32_t i = 0; i < FRESH; i++)
			CHECK_INT(refresh_discovered(w.run, N + i,
					  &(struct refresh_facts){.rate = 0.1, .weight = 1}),
				0);
		CHECK_INT((long long)refresh_status(w.run).queued, FRESH);
		w.now += 30; /* whatever is due is due */
		for (end = w.now + 40; w.now < end;) {
			if (refresh_next(w.run, w.now, &order, &until) == REFRESH_WAIT) {
				w.now = fmin(until, end);
				continue;
			}
			first += order.page >= N;
			again += order.page < N;
			refresh_done(
				w.run, &order, &(struct refresh_look){REFRESH_SAME, w.now, -1, 0});
		}
		tap_note("%zu first, %zu again", first, again);
		CHECK((double)first >= 0.85 * (double)(first + again));
		CHECK((double)again >= 0.05 * (double)(first + again) || k == 4);
		refresh_run_free(w.run);
	}
}

/* Looks until that time; those at page find a change. How many looks went there. */
static unsigned look_until(struct watch *w, double end, uint32_t page)
{
	struct refresh_order order;
	unsigned found = 0;
	double until;

	while (w->now < end)
		if (refresh_next(w->run, w->now, &order, &until) == REFRESH_WAIT) {
			w->now = fmin(until, end);
		} else {
			found += order.page == page;
			refresh_done(w->run, &order,
				&(struct refresh_look){
					order.page == page ? REFRESH_CHANGED : REFRESH_SAME, w->now,
					0.05, 0});
		}
	return found;
}

/* Pages of a source, or of none. */
static struct watch begin_announced(const char *policy, unsigned source)
{
	struct watch w = begin(plain(policy));

	for (uint32_t i = 0; i < N; i++)
		CHECK_INT(refresh_discovered(w.run, i,
				  &(struct refresh_facts){
					  .rate = 0.05, .weight = 1, .source = source}),
			0);
	return w;
}

/* A source that is always right and tells all: what it announces is looked at at once. */
static void test_signals(void)
{
	static const struct {
		const char *policy;
		unsigned owner; /* of the pages */
	} rows[] = {{"fresh", 2}, {"harmonic", 2}, {"fresh", 0}, {"fresh", 5}};

	for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
		struct watch w = begin_announced(rows[k].policy, rows[k].owner);
		struct refresh_source worth;
		unsigned found = 0;
		struct rng rng;

		tap_case("signals under %s, pages of source %u: their worth is learned, and used",
			rows[k].policy, rows[k].owner);
		rng_init(&rng, 3);
		CHECK_INT(refresh_signal(w.run, N, 2, w.now), ERR_NOTFOUND);
		CHECK_INT(refresh_signal(w.run, 0, 99, w.now), ERR_NOTFOUND);
		for (int round = 0; round < 300; round++) {
			uint32_t page = (uint32_t)rng_below(&rng, N);
			unsigned looks;

			CHECK_INT(refresh_signal(w.run, page, 2, w.now), 0);
			looks = look_until(&w, w.now + 0.1, page);
			found += round >= 150 && looks > 0;
		}
		worth = refresh_source(w.run, 2);
		CHECK(refresh_precision(&worth) > 0.9 && refresh_recall(&worth) > 0.9);
		CHECK(found >= 135);
		refresh_run_free(w.run);
	}
}

/* A sitemap that says "today" for every page, every day: looks go where they went without it. */
static void test_noisy_source(void)
{
	struct watch w = begin_announced("fresh", 3);
	struct refresh_source worth;
	unsigned looks = 0;

	tap_case("a source that announces all pages all the time loses its precision");
	for (int round = 0; round < 400; round++) {
		for (uint32_t page = 0; page < N; page++)
			CHECK_INT(refresh_signal(w.run, page, 3, w.now), 0);
		looks += look_until(&w, w.now + 0.1, 0);
	}
	worth = refresh_source(w.run, 3);
	CHECK(refresh_precision(&worth) < 0.1);
	CHECK(looks > 0);
	tap_case("a source that is right more often is heard after it");
	refresh_set_source(w.run, 4, &(struct refresh_source){.announced_changed = 98});
	CHECK_INT(refresh_signal(w.run, 7, 3, w.now), 0);
	CHECK_INT(refresh_signal(w.run, 7, 4, w.now), 0);
	CHECK(look_until(&w, w.now + 0.1, 7) > 0);
	CHECK_NEAR(refresh_source(w.run, 4).announced_changed, 99, 0);
	tap_case("what was seen long ago fades");
	worth = (struct refresh_source){.announced_changed = REFRESH_SOURCE_LOOKS};
	for (int i = 0; i < 3000; i++)
		refresh_source_learn(&worth, true, false);
	CHECK(refresh_precision(&worth) < 0.2);
	refresh_run_free(w.run);
}

/* Pings one page, again and again, of which nothing comes: it gets no more than its share. */
static void test_flood(void)
{
	struct watch w = begin_announced("fresh", 0), calm = begin_announced("fresh", 0);
	unsigned flooded = 0, usual = 0;

	tap_case("a flood of false announcements changes little, and adds no budget");
	for (int round = 0; round < 400; round++) {
		for (int i = 0; i < 100; i++)
			CHECK_INT(refresh_signal(w.run, 5, 1, w.now), 0);
		look_until(&w, w.now + 0.1, UINT32_MAX);
		look_until(&calm, calm.now + 0.1, UINT32_MAX);
	}
	flooded = (unsigned)refresh_status(w.run).looks;
	usual = (unsigned)refresh_status(calm.run).looks;
	CHECK(flooded <= usual + 1);
	CHECK(refresh_source(w.run, 1).announced_changed == 0);
	CHECK(refresh_source(w.run, 1).announced_same < 40);
	refresh_run_free(w.run);
	refresh_run_free(calm.run);
}

/* Days up to a time in which orders are asked for: the second half of each. */
static double days_open(double time)
{
	return floor(time) / 2 + fmax(0, time - floor(time) - 0.5);
}

/* Looks in bursts, at pages that change as their rates say; *ret_fresh: the share of time in which
 * they were fresh. */
static struct refresh_status audit_bursts(double days, double *ret_fresh)
{
	struct refresh_params params = plain("sharp");
	double fresh = 0, change[N], begin_at;
	struct refresh_status s;
	struct watch w;
	struct rng rng;

	params.budget = 2 * N;
	params.audit = 0.05;
	w = begin(params);
	rng_init(&rng, 5);
	begin_at = w.now;
	for (size_t i = 0; i < N; i++)
		change[i] = w.now + rng_exponential(&rng, rate_of(i));
	while (w.now < begin_at + days) {
		struct refresh_order o;
		double until = floor(w.now) + 0.5;

		if (w.now < until || refresh_next(w.run, w.now, &o, &until) == REFRESH_WAIT) {
			w.now = until;
			continue;
		}
		refresh_done(w.run, &o,
			&(struct refresh_look){
				change[o.page] < w.now ? REFRESH_CHANGED : REFRESH_SAME, w.now,
				rate_of(o.page), 0});
		fresh += days_open(fmin(change[o.page], w.now)) - days_open(w.last[o.page]);
		w.last[o.page] = w.now;
		change[o.page] = w.now + rng_exponential(&rng, rate_of(o.page));
	}
	for (size_t i = 0; i < N; i++)
		fresh += days_open(fmin(change[i], w.now)) - days_open(w.last[i]);
	*ret_fresh = fresh / N / (days_open(w.now) - days_open(begin_at));
	s = refresh_status(w.run);
	refresh_run_free(w.run);
	return s;
}

/* Asks until there is an audit, and reports it; other looks find the page as it was. */
static void audit_once(struct watch *w, enum refresh_outcome outcome)
{
	struct refresh_order order = {.purpose = REFRESH_LOOK};
	double until;

	while (order.purpose != REFRESH_AUDIT) {
		if (refresh_next(w->run, w->now, &order, &until) == REFRESH_WAIT)
			w->now = until;
		else if (order.purpose != REFRESH_AUDIT)
			refresh_done(w->run, &order,
				&(struct refresh_look){REFRESH_SAME, w->now, -1, 0});
	}
	CHECK_INT(refresh_status(w->run).out, 1);
	refresh_done(w->run, &order, &(struct refresh_look){outcome, w->now, -1, 0});
	CHECK_INT(refresh_status(w->run).out, 0);
}

/* One page, by a policy that never looks at it of its own accord. */
static struct watch begin_one(void)
{
	struct refresh_params params = plain("hacs");
	struct watch w = {.now = 0};
	struct err err = {0};

	params.aim.theta = 0.9;
	params.audit = 0.01;
	w.run = refresh_run_new(&params, &err);
	CHECK_INT(refresh_discovered(w.run, 0, &(struct refresh_facts){.weight = 1}), 0);
	return w;
}

static void test_audit(void)
{
	struct refresh_status s;
	struct refresh_order order;
	struct watch w;
	double fresh, until;

	tap_case("audits: an unbiased share of fresh copies, however looks are spread");
	s = audit_bursts(400, &fresh);
	CHECK_NEAR((double)s.audits, 4000, 4 * sqrt(4000));
	CHECK_NEAR(s.fresh_error, sqrt(fresh * (1 - fresh) / 4000), 1e-3);
	CHECK_NEAR(s.fresh_measured, fresh, 3 * s.fresh_error);

	tap_case("audits: a page without a copy is not fresh, also if it does not answer");
	w = begin_one();
	CHECK_INT(refresh_next(w.run, w.now, &order, &until), REFRESH_ORDER);
	CHECK_INT(order.purpose, REFRESH_BIRTH);
	audit_once(&w, REFRESH_FAILED); /* the order that is out */
	s = refresh_status(w.run);
	CHECK_INT(s.audits, 1);
	CHECK_NEAR(s.fresh_measured, 0, 0);
	refresh_seen(w.run, 0, &(struct refresh_look){REFRESH_SAME, w.now, -1, 0});

	tap_case("audits: one at a page with a copy tells nothing without an answer");
	audit_once(&w, REFRESH_FAILED);
	CHECK_INT(refresh_status(w.run).audits, 1);
	audit_once(&w, REFRESH_SAME);
	CHECK_NEAR(refresh_status(w.run).fresh_measured, 0.5, 0);

	tap_case("audits: one that is due outlasts a new budget");
	while (refresh_next(w.run, w.now, &order, &until) == REFRESH_ORDER)
		refresh_done(w.run, &order, &(struct refresh_look){REFRESH_SAME, w.now, -1, 0});
	w.now = refresh_audit_at(w.run);
	refresh_set_budget(w.run, 50, w.now);
	CHECK_INT(refresh_next(w.run, w.now, &order, &until), REFRESH_ORDER);
	CHECK_INT(order.purpose, REFRESH_AUDIT);
	refresh_done(w.run, &order, &(struct refresh_look){REFRESH_SAME, w.now, -1, 0});

	tap_case("audits: none is made up for, unless a run does not last");
	(void)refresh_next(w.run, w.now, &order, &until);
	w.now = refresh_audit_at(w.run) + 1;
	CHECK_INT(refresh_next(w.run, w.now, &order, &until), REFRESH_WAIT);
	CHECK(refresh_audit_at(w.run) > w.now);
	refresh_accrue(w.run, 1000, true);
	for (until = 0; refresh_audit_at(w.run) <= w.now; until++) {
		CHECK_INT(refresh_next(w.run, w.now, &order, &fresh), REFRESH_ORDER);
		refresh_done(w.run, &order, &(struct refresh_look){REFRESH_SAME, w.now, -1, 0});
	}
	CHECK(until == 10 || until == 11);
	refresh_run_free(w.run);

	tap_case("audits: the error of a share by weight");
	w = begin_one();
	CHECK_INT(refresh_discovered(w.run, 1, &(struct refresh_facts){.weight = 3}), 0);
	for (int i = 0; i < 1000; i++) {
		refresh_audited(w.run, 0, i % 2);
		refresh_audited(w.run, 1, i % 4 > 0);
	}
	s = refresh_status(w.run);
	fresh = (500 + 3 * 750) / 4000.0;
	CHECK_NEAR(s.fresh_measured, fresh, 1e-12);
	CHECK_NEAR(s.fresh_error,
		sqrt(fresh * fresh * (500 + 9 * 250) +
			(1 - fresh) * (1 - fresh) * (500 + 9 * 750)) /
			4000,
		1e-4);
	refresh_run_free(w.run);
}

/* Facts alone restore a run: the same pages are due next. */
static void test_restart(void)
{
	struct watch w = begin(plain("fresh")), again;
	struct refresh_order order, other;
	double until;

	tap_case("restart: facts give the same orders, several may be out");
	run_until(&w, w.now + 50);
	again = begin(plain("fresh"));
	for (uint32_t i = 0; i < N; i++)
		refresh_seen(again.run, i, &(struct refresh_look){REFRESH_SAME, w.last[i], -1, 0});
	for (int i = 0; i < 30; i++) {
		double now = w.now + i / 40.0;
		bool first = refresh_next(w.run, now, &order, &until) == REFRESH_ORDER;

		CHECK(first == (refresh_next(again.run, now, &other, &until) == REFRESH_ORDER));
		if (first)
			w.looks[order.page] = w.looks[other.page] = 1000 + (size_t)i;
	}
	CHECK_INT((long long)refresh_status(w.run).out, (long long)refresh_status(again.run).out);
	CHECK(refresh_status(w.run).out > 20);
	refresh_run_free(again.run);

	tap_case("restart: what was due before goes in the order in which it was due");
	again = begin(plain("uniform"));
	for (uint32_t i = 0; i < N; i++)
		refresh_seen(again.run, i,
			&(struct refresh_look){REFRESH_SAME, again.now - 100 - i, -1, 0});
	for (uint32_t i = 0; i < 30; i++) {
		CHECK_INT(refresh_next(again.run, again.now + i / 40.0, &order, &until),
			REFRESH_ORDER);
		CHECK_INT(order.page, N - 1 - i);
	}
	refresh_run_free(again.run);
	tap_case("returned: given again, and its request counts no more");
	refresh_done(w.run, &order, &(struct refresh_look){REFRESH_RETURNED, w.now + 1, -1, 0});
	for (other.page = UINT32_MAX; other.page != order.page;)
		if (refresh_next(w.run, w.now + 1, &other, &until) == REFRESH_WAIT)
			break;
	CHECK_INT(other.page, order.page);
	refresh_withdraw(w.run, other.page);
	refresh_done(w.run, &other, &(struct refresh_look){REFRESH_SAME, w.now + 1, -1, 0});
	CHECK_INT((long long)refresh_status(w.run).living, N - 1);
	refresh_run_free(w.run);
}

/* Pages of one group change together; what a sample finds leads to the others. */
static void test_groups(void)
{
	static const char *const POLICIES[] = {"sample", "hybrid"};

	for (size_t k = 0; k < ARRAY_LEN(POLICIES); k++) {
		struct refresh_params params = plain(POLICIES[k]);
		double hits = 0;
		struct watch w;

		tap_case("%s: a changed page leads to its group", POLICIES[k]);
		params.budget = 10; /* a twentieth of the pages in a day, a cycle is a week */
		w = begin(params);
		for (uint32_t i = 0; i < N; i++)
			CHECK_INT(refresh_discovered(w.run, i,
					  &(struct refresh_facts){.rate = 0.01, .weight = 1}),
				0);
		for (double end = w.now + 70; w.now < end;) {
			struct refresh_order order;
			double until;
			bool hot;

			if (refresh_next(w.run, w.now, &order, &until) == REFRESH_WAIT) {
				w.now = until;
				continue;
			}
			hot = order.page / 20 == (uint32_t)(w.now / 7) % 10;
			hits += hot;
			refresh_done(w.run, &order,
				&(struct refresh_look){
					hot ? REFRESH_CHANGED : REFRESH_SAME, w.now, 0.01, 0});
		}
		tap_note("%s: %g hits", POLICIES[k], hits);
		CHECK(hits > 1.5 * 70); /* by chance it is a tenth of 700 looks */
		refresh_run_free(w.run);
	}
}

static void test_refused(void)
{
	static const struct {
		const char *name;
		struct refresh_params params;
	} ROWS[] = {
		{"no policy", {.budget = 1}},
		{"no budget", {.policy = &REFRESH_UNIFORM}},
		{"no grid", {.policy = &REFRESH_SHARP, .budget = 1}},
		{"theta 1", {.policy = &REFRESH_HACS, .budget = 1, .aim = {.theta = 1}}},
		{"all shares", {.policy = &REFRESH_UNIFORM, .budget = 1, .audit = 1}},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct err err = {0};

		tap_case("refused: %s", ROWS[i].name);
		CHECK(refresh_run_new(&ROWS[i].params, &err) == NULL);
		CHECK(err.text[0] != '\0');
	}
	CHECK(refresh_policy_find("best") == NULL);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_optimum();
	test_budget();
	test_threshold();
	test_sharp();
	test_pairs();
	test_death();
	test_birth();
	test_pauses();
	test_first_copies();
	test_signals();
	test_noisy_source();
	test_flood();
	test_audit();
	test_restart();
	test_groups();
	test_refused();
	return tap_done();
}
