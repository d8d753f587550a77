#include "refresh/run.h"

#include <math.h>
#include <stdlib.h>

#include "refresh/allocate.h"
#include "refresh/run_state.h"

enum {
	SCRUBBED = 2,   /* due times checked with every order */
	DRAWS_MAX = 16, /* random pages tried before there is none */
	SETTLE_MIN = 64,
	IDLE_SCRUBBED = 64, /* the same when there is nothing to do */
	TRIES_MAX = PAGE_TRIES >> PAGE_TRIES_SHIFT,
	DOUBLED_MAX = 12,     /* times that a pause doubles */
	SIDE_MEMORY = 512,    /* requests over which the share of others is measured */
	REST_OF_CONFIRM = 16, /* first pause of a dead page, in times of confirmation */
};

#define AUDIT_DEFAULT   0.01
#define EXPLORE_DEFAULT 0.01
#define BIRTH_DEFAULT   0.1
#define RECALL_MAX      0.99 /* silence is never proof */
#define EARNED_MAX      2.0  /* orders of a share that wait, at most */
#define REBASE_AT       ((uint32_t)1 << 31)

static double or_default(double value, double standard)
{
	return value > 0 ? value : value < 0 ? 0 : standard;
}

static int check(const struct refresh_params *p, struct err *err)
{
	if (!p->policy)
		return err_set(err, ERR_RANGE, "a watch needs a policy");
	if (!(p->budget > 0) || !refresh_number_ok(p->budget))
		return err_set(err, ERR_RANGE, "the budget must be above 0, not %g", p->budget);
	if (!isfinite(p->start))
		return err_set(err, ERR_RANGE, "a watch begins at a finite time");
	if (p->policy == &REFRESH_SHARP && !(p->aim.grid > 0))
		return err_set(err, ERR_RANGE, "the policy sharp needs a grid");
	if (!(p->aim.theta >= 0 && p->aim.theta < 1))
		return err_set(err, ERR_RANGE, "theta must be below 1, not %g", p->aim.theta);
	if (p->audit + p->explore + p->birth >= 1)
		return err_set(err, ERR_RANGE, "audits, exploration and births take all looks");
	return 0;
}

static struct refresh_params complete(struct refresh_params p)
{
	double minute = or_default(p.minute, 1.0 / 1440);

	p.minute = minute;
	p.audit = or_default(p.audit, AUDIT_DEFAULT);
	p.explore = or_default(p.explore, EXPLORE_DEFAULT);
	p.birth = or_default(p.birth, BIRTH_DEFAULT);
	p.confirm = or_default(p.confirm, 10 * minute);
	p.cycle = or_default(p.cycle, 7 * 1440 * minute);
	return p;
}

struct refresh_run *refresh_run_new(const struct refresh_params *params, struct err *err)
{
	struct refresh_run *run;

	if (check(params, err))
		return NULL;
	run = calloc(1, sizeof *run);
	if (!run) {
		(void)err_code(err, ERR_NOMEM);
		return NULL;
	}
	run->params = complete(*params);
	run->aim = run->params.aim;
	run->base = run->now = run->params.start;
	run->tick = 1 / run->params.budget; /* about a page for each tick */
	wheel_init(&run->wheel);
	market_init(&run->market, run->params.policy, &run->aim);
	refresh_pace_init(&run->pace, run->params.budget, run->params.minute, run->now);
	rng_init(&run->rng, run->params.seed);
	return run;
}

void refresh_run_free(struct refresh_run *run)
{
	if (!run)
		return;
	wheel_release(&run->wheel);
	market_release(&run->market);
	watched_pages_release(&run->pages);
	group_vec_release(&run->groups);
	errand_vec_release(&run->errands);
	free(run);
}

static uint32_t tick_of(const struct refresh_run *run, double time)
{
	double tick = (time - run->base) / run->tick;

	if (!(tick > 0))
		return 0;
	return tick < (double)(UINT32_MAX - 1) ? (uint32_t)tick : UINT32_MAX - 1;
}

void run_due(struct refresh_run *run, uint32_t page, double time)
{
	wheel_put(&run->wheel, page, tick_of(run, time));
}

/* A number from 0 up to 1 that stays with the page. */
static double draw_of(uint32_t page)
{
	uint64_t state = page;

	return (double)(rng_splitmix64(&state) >> 11) * 0x1p-53;
}

static struct market_page traded(const struct refresh_run *run, uint32_t page)
{
	const struct watched *w = &run->pages.ptr[page];

	return (struct market_page){w->rate, w->weight,
		run->params.policy == &REFRESH_HARMONIC &&
			(item_of(run, page)->mark & PAGE_SOURCE) != 0};
}

static bool is_on_market(unsigned state)
{
	return state == PAGE_LIVING || state == PAGE_SUSPECT;
}

static void set_state(struct refresh_run *run, uint32_t page, unsigned state)
{
	struct wheel_item *item = item_of(run, page);

	run->states[item->mark & PAGE_STATE]--;
	run->states[state]++;
	item->mark = (uint16_t)((item->mark & ~PAGE_STATE) | state);
}

/* Group sums follow the market: what is on it counts in both. */
static void leave_market(struct refresh_run *run, uint32_t page)
{
	const struct watched *w = &run->pages.ptr[page];

	if (!is_on_market(state_of(run, page)))
		return;
	market_remove(&run->market, traded(run, page));
	run->groups.ptr[w->group].rate -= (double)w->rate;
	run->unsettled++;
}

static int enter_market(struct refresh_run *run, uint32_t page)
{
	const struct watched *w = &run->pages.ptr[page];

	run->groups.ptr[w->group].rate += (double)w->rate;
	run->unsettled++;
	return market_add(&run->market, traded(run, page));
}

/* sharp, two looks around an instant: the next of them behind a time. Pages are spread over the
 * time that the looks at all of them take. */
static double next_of_pair(const struct refresh_run *run, uint32_t page, double since)
{
	double place = market_place(&run->market, traded(run, page), draw_of(page));
	double grid = run->aim.grid, half = run->aim.gap * place;
	double instant = ceil(since / grid) * grid;

	if (since >= instant - 2 * half - run->tick)
		return instant + half;
	return instant - half;
}

static double looks_wanted(const struct refresh_run *run, uint32_t page)
{
	const struct watched *w = &run->pages.ptr[page];

	if (run->params.site_level && run->params.policy == &REFRESH_HACS && w->group)
		return run->params.policy->demand(
			&run->aim, fmax(0, run->groups.ptr[w->group].rate), 1, 1);
	return market_demand(&run->market, traded(run, page), draw_of(page));
}

/* When the policy wants the next look; infinite: never. */
static double due_time(const struct refresh_run *run, uint32_t page)
{
	double since = run->pages.ptr[page].since, f;

	if (!run->params.policy->demand || traded(run, page).announced)
		return INFINITY;
	f = looks_wanted(run, page);
	if (f <= 0)
		return INFINITY;
	if (run->params.policy == &REFRESH_SHARP && refresh_sharp_pairs(&run->aim, f))
		return next_of_pair(run, page, since);
	return since + 1 / f;
}

static void schedule(struct refresh_run *run, uint32_t page)
{
	double due = due_time(run, page);

	if (isinf(due))
		wheel_remove(&run->wheel, page);
	else
		run_due(run, page, due);
}

/* Pauses double with every try. */
static double pause_of(struct refresh_run *run, uint32_t page, double first)
{
	struct wheel_item *item = item_of(run, page);
	unsigned tries = (item->mark & PAGE_TRIES) >> PAGE_TRIES_SHIFT;

	if (tries < TRIES_MAX)
		item->mark = (uint16_t)(item->mark + (1 << PAGE_TRIES_SHIFT));
	return ldexp(first, (int)(tries < DOUBLED_MAX ? tries : DOUBLED_MAX));
}

static void forget_tries(struct refresh_run *run, uint32_t page)
{
	item_of(run, page)->mark &= (uint16_t)~PAGE_TRIES;
}

/* Silence of a source that announces most changes means that little has changed. */
static float silent_rate(const struct refresh_run *run, uint32_t page, double rate)
{
	unsigned source = (item_of(run, page)->mark & PAGE_SOURCE) >> PAGE_SOURCE_SHIFT;

	if (source == 0 || run->params.policy == &REFRESH_HARMONIC)
		return (float)rate;
	return (float)(rate * (1 - fmin(refresh_recall(&run->sources[source]), RECALL_MAX)));
}

static int check_facts(const struct refresh_facts *f)
{
	return refresh_number_ok(f->rate) && refresh_number_ok(f->weight) &&
			       f->source < REFRESH_SOURCES && f->group < UINT32_MAX
		       ? 0
		       : ERR_RANGE;
}

static int make_room(struct refresh_run *run, uint32_t page, uint32_t group)
{
	int rc = wheel_reserve(&run->wheel, page);

	while (rc == 0 && run->pages.len <= page) {
		rc = watched_pages_push(&run->pages, (struct watched){.since = -INFINITY});
		run->states[PAGE_UNKNOWN] += rc == 0;
	}
	return rc ? rc
		  : refresh_group(run, group,
			    group < run->groups.len ? run->groups.ptr[group].parent
						    : REFRESH_NO_GROUP);
}

static void set_facts(struct refresh_run *run, uint32_t page, const struct refresh_facts *facts)
{
	struct wheel_item *item = item_of(run, page);

	item->mark = (uint16_t)((item->mark & ~PAGE_SOURCE) | facts->source << PAGE_SOURCE_SHIFT);
	run->pages.ptr[page].rate = silent_rate(run, page, facts->rate);
	run->pages.ptr[page].weight = (float)facts->weight;
	run->weight_max = fmax(run->weight_max, facts->weight);
}

int refresh_discovered(struct refresh_run *run, uint32_t page, const struct refresh_facts *facts)
{
	int rc = check_facts(facts);
	unsigned state;

	if (rc == 0)
		rc = make_room(run, page, facts->group);
	if (rc)
		return rc;
	state = state_of(run, page);
	if (state == PAGE_UNKNOWN) {
		if (facts->group && (rc = groups_join(run, page, facts->group)))
			return rc;
		set_facts(run, page, facts);
		set_state(run, page, PAGE_NEW);
		wheel_queue(&run->wheel, page);
		return 0;
	}
	leave_market(run, page);
	set_facts(run, page, facts);
	if (is_on_market(state))
		rc = enter_market(run, page);
	if (state == PAGE_LIVING && !(item_of(run, page)->mark & (PAGE_OUT | PAGE_TRIES)))
		schedule(run, page);
	return rc;
}

void refresh_withdraw(struct refresh_run *run, uint32_t page)
{
	leave_market(run, page);
	wheel_remove(&run->wheel, page);
	refresh_hubs_forget(&run->hubs, page);
	set_state(run, page, PAGE_WITHDRAWN);
}

static double bandwidth(const struct refresh_run *run)
{
	return run->params.budget * (1 - run->side);
}

/* A new margin, when enough has changed. The time that pairs need around an instant follows. */
static void settle(struct refresh_run *run)
{
	size_t enough = run->pages.len / 16 + 4 * run->market.cells.len + SETTLE_MIN;

	if (run->unsettled == 0 || (run->unsettled < enough && run->unsettled < run->looks))
		return;
	run->unsettled = 0;
	market_clear(&run->market, bandwidth(run));
	if (run->params.policy == &REFRESH_SHARP && !(run->params.aim.gap > 0))
		run->aim.gap = fmin(
			run->aim.grid / 2, run->tick + market_pairs(&run->market) / bandwidth(run));
}

/* Due times follow a new margin page by page: no sweep. */
static void scrub(struct refresh_run *run, int pages)
{
	enum { TOLERANCE = 8 }; /* part of the interval by which a due time may be off */

	for (int i = 0; i < pages && run->pages.len > 0; i++) {
		uint32_t page = run->scrub < run->pages.len ? run->scrub : 0;
		const struct wheel_item *item = item_of(run, page);
		double due, is;

		run->scrub = page + 1;
		if ((item->mark & (PAGE_STATE | PAGE_OUT | PAGE_TRIES)) != PAGE_LIVING)
			continue;
		due = due_time(run, page);
		is = item->list == WHEEL_OUT ? INFINITY : run->base + run->tick * item->due;
		if (due == is || (run->params.policy->groups && due > is))
			continue;
		if (isinf(due) || isinf(is) ||
			fabs(due - is) > run->tick + (due - run->pages.ptr[page].since) / TOLERANCE)
			schedule(run, page);
	}
}

static bool draw(struct refresh_run *run, enum refresh_purpose purpose, struct refresh_order *ret)
{
	for (int i = 0; i < DRAWS_MAX && run->pages.len > 0; i++) {
		uint32_t page = (uint32_t)rng_below(&run->rng, run->pages.len);

		if (is_free(run, page) && state_of(run, page) == PAGE_LIVING) {
			*ret = (struct refresh_order){page, purpose};
			return true;
		}
	}
	return false;
}

static bool choose_birth(struct refresh_run *run, struct refresh_order *ret)
{
	const struct refresh_hub *hub = refresh_hubs_best(&run->hubs, run->now);

	ret->purpose = REFRESH_BIRTH;
	if (hub && is_free(run, hub->page)) {
		ret->page = hub->page;
		return true;
	}
	return wheel_queued(&run->wheel, &ret->page);
}

static bool earned(double *due)
{
	if (*due < 1)
		return false;
	*due -= 1;
	return true;
}

/* What the shares have earned comes first. */
static bool choose_share(struct refresh_run *run, struct refresh_order *ret)
{
	return (earned(&run->audit_due) && draw(run, REFRESH_AUDIT, ret)) ||
	       (earned(&run->explore_due) && draw(run, REFRESH_EXPLORE, ret)) ||
	       (earned(&run->birth_due) && choose_birth(run, ret));
}

/* Whether a look before its time is of use: not where it must lie behind an instant. */
static bool may_be_early(const struct refresh_run *run, uint32_t page)
{
	return run->params.policy == &REFRESH_SHARP
		       ? !refresh_sharp_pairs(&run->aim, looks_wanted(run, page))
		       : !run->params.policy->patient;
}

/* A page that is due. */
static bool choose_due(struct refresh_run *run, struct refresh_order *ret)
{
	uint32_t due;

	ret->purpose = REFRESH_LOOK;
	return wheel_first(&run->wheel, tick_of(run, run->now), &ret->page, &due);
}

/* A page before it is due, when budget would be lost; else *ret_until is when to ask again. */
static bool choose_early(struct refresh_run *run, struct refresh_order *ret, double *ret_until)
{
	uint32_t due;
	double until = INFINITY;

	ret->purpose = REFRESH_LOOK;
	if (!wheel_peek(&run->wheel, &ret->page, &due))
		return false;
	*ret_until = run->base + run->tick * due;
	if (!may_be_early(run, ret->page))
		return *ret_until <= run->now;
	if (refresh_pace_surplus(&run->pace, run->now, &until))
		return true;
	*ret_until = fmin(*ret_until, until);
	return *ret_until <= run->now;
}

static bool choose(struct refresh_run *run, struct refresh_order *ret, double *ret_until)
{
	*ret_until = INFINITY;
	if (choose_share(run, ret) || choose_due(run, ret))
		return true;
	if (wheel_queued(&run->wheel, &ret->page)) {
		ret->purpose = REFRESH_BIRTH;
		return true;
	}
	if (run->params.policy == &REFRESH_SAMPLE && groups_sample(run, ret))
		return true;
	if (run->params.policy != &REFRESH_SAMPLE)
		return choose_early(run, ret, ret_until);
	*ret_until = groups_cycle_end(run);
	return false;
}

static void earn(struct refresh_run *run)
{
	run->audit_due = fmin(run->audit_due + run->params.audit, EARNED_MAX);
	run->explore_due = fmin(run->explore_due + run->params.explore, EARNED_MAX);
	run->birth_due = fmin(run->birth_due + run->params.birth, EARNED_MAX);
}

static void note_side(struct refresh_run *run, bool side)
{
	run->side += ((side ? 1.0 : 0.0) - run->side) / SIDE_MEMORY;
}

static void advance(struct refresh_run *run, double now)
{
	run->now = fmax(run->now, now);
	if (run->wheel.cursor > REBASE_AT) {
		run->base += run->tick * (double)run->wheel.cursor;
		wheel_rebase(&run->wheel, run->wheel.cursor);
	}
}

/* All pages are given up, as after a change of all rates: a new margin may be worth some looks. */
static void reconsider(struct refresh_run *run, double *ret_until)
{
	if (run->states[PAGE_LIVING] == 0)
		return;
	if (run->unsettled > 0)
		run->unsettled = SIZE_MAX / 2;
	scrub(run, IDLE_SCRUBBED);
	*ret_until = fmin(*ret_until, run->now + run->tick);
}

enum refresh_step refresh_next(
	struct refresh_run *run, double now, struct refresh_order *ret_order, double *ret_until)
{
	struct refresh_order order = {0};

	advance(run, now);
	if (!refresh_pace_ready(&run->pace, run->now, ret_until))
		return REFRESH_WAIT;
	settle(run);
	scrub(run, SCRUBBED);
	if (!choose(run, &order, ret_until)) {
		if (run->wheel.len == 0)
			reconsider(run, ret_until);
		return REFRESH_WAIT;
	}
	earn(run);
	refresh_pace_spend(&run->pace, 1);
	note_side(run, order.purpose == REFRESH_AUDIT || order.purpose == REFRESH_EXPLORE ||
			       order.purpose == REFRESH_BIRTH);
	wheel_remove(&run->wheel, order.page);
	item_of(run, order.page)->mark |= PAGE_OUT;
	run->out++;
	*ret_order = order;
	return REFRESH_ORDER;
}

/* A fresh audit is a copy that was current; the sums give a weighted mean and its error. */
static void learn_audit(struct refresh_run *run, uint32_t page, enum refresh_outcome outcome)
{
	double weight = (double)run->pages.ptr[page].weight;

	run->audits++;
	run->audited += weight;
	run->audited_squares += weight * weight;
	run->audited_fresh += outcome == REFRESH_SAME ? weight : 0;
}

static void learn_source(struct refresh_run *run, uint32_t page, bool changed)
{
	struct wheel_item *item = item_of(run, page);
	unsigned source = (item->mark & PAGE_SOURCE) >> PAGE_SOURCE_SHIFT;

	if (source)
		refresh_source_learn(
			&run->sources[source], (item->mark & PAGE_ANNOUNCED) != 0, changed);
	item->mark &= (uint16_t)~PAGE_ANNOUNCED;
}

static void learn(
	struct refresh_run *run, const struct refresh_order *order, const struct refresh_look *look)
{
	struct watched *w = &run->pages.ptr[order->page];
	bool changed = look->outcome != REFRESH_SAME, again = !isinf(w->since);
	double since = w->since;

	run->looks++;
	run->changes += again && changed;
	if (again) {
		learn_source(run, order->page, changed);
		refresh_hubs_seen(
			&run->hubs, order->page, look->born, look->time - since, look->time);
	}
	if (again && order->purpose == REFRESH_AUDIT)
		learn_audit(run, order->page, look->outcome);
	w->since = look->time;
	groups_learn(run, order, look, since);
}

/* A page that answered. Without memory it waits outside the market: looked at by chance only. */
static void lives(struct refresh_run *run, uint32_t page, double rate)
{
	leave_market(run, page);
	if (refresh_number_ok(rate))
		run->pages.ptr[page].rate = silent_rate(run, page, rate);
	set_state(run, page, PAGE_LIVING);
	forget_tries(run, page);
	(void)enter_market(run, page);
	schedule(run, page);
}

static void is_gone(struct refresh_run *run, uint32_t page, double time)
{
	if (state_of(run, page) == PAGE_NEW || state_of(run, page) == PAGE_LIVING) {
		if (state_of(run, page) == PAGE_NEW) /* its demand counts until it is confirmed */
			(void)enter_market(run, page);
		set_state(run, page, PAGE_SUSPECT);
		forget_tries(run, page);
		run_due(run, page, time + run->params.confirm);
		return;
	}
	if (state_of(run, page) == PAGE_SUSPECT) {
		leave_market(run, page);
		refresh_hubs_forget(&run->hubs, page);
		set_state(run, page, PAGE_DEAD);
	}
	run_due(run, page, time + pause_of(run, page, run->params.confirm * REST_OF_CONFIRM));
}

static void report(
	struct refresh_run *run, const struct refresh_order *order, const struct refresh_look *look)
{
	uint32_t page = order->page;

	advance(run, look->time);
	if (state_of(run, page) == PAGE_WITHDRAWN)
		return;
	switch (look->outcome) {
	case REFRESH_RETURNED:
		run_due(run, page, run->base); /* what has passed is due at once */
		break;
	case REFRESH_FAILED:
		run_due(run, page, look->time + pause_of(run, page, run->params.confirm));
		break;
	case REFRESH_GONE:
		learn(run, order, look);
		is_gone(run, page, look->time);
		break;
	default:
		learn(run, order, look);
		lives(run, page, look->rate);
	}
}

void refresh_done(
	struct refresh_run *run, const struct refresh_order *order, const struct refresh_look *look)
{
	struct wheel_item *item = item_of(run, order->page);

	run->out -= (item->mark & PAGE_OUT) != 0;
	item->mark &= (uint16_t)~PAGE_OUT;
	if (look->outcome == REFRESH_RETURNED)
		refresh_pace_spend(&run->pace, -1);
	report(run, order, look);
}

void refresh_seen(struct refresh_run *run, uint32_t page, const struct refresh_look *look)
{
	if (!(item_of(run, page)->mark & PAGE_OUT))
		report(run, &(struct refresh_order){page, REFRESH_LOOK}, look);
}

int refresh_signal(struct refresh_run *run, uint32_t page, unsigned source, double now)
{
	struct wheel_item *item;
	struct watched *w;

	if (page >= run->pages.len || source == 0 || source >= REFRESH_SOURCES ||
		state_of(run, page) == PAGE_UNKNOWN)
		return ERR_NOTFOUND;
	advance(run, now);
	item = item_of(run, page);
	w = &run->pages.ptr[page];
	if ((item->mark & PAGE_SOURCE) >> PAGE_SOURCE_SHIFT == source) {
		if (item->mark & PAGE_ANNOUNCED)
			return 0; /* it says no more than the first time */
		item->mark |= PAGE_ANNOUNCED;
	}
	if (!is_free(run, page) || state_of(run, page) != PAGE_LIVING)
		return 0;
	if (traded(run, page).announced) {
		if (rng_double(&run->rng) < looks_wanted(run, page))
			run_due(run, page, now);
		return 0;
	}
	if (w->rate > 0) { /* as if so much time had passed without a look */
		w->since += log1p(-refresh_precision(&run->sources[source])) / (double)w->rate;
		schedule(run, page);
	} else {
		run_due(run, page, now);
	}
	return 0;
}

void refresh_set_budget(struct refresh_run *run, double budget, double now)
{
	advance(run, now);
	run->params.budget = budget;
	refresh_pace_change(&run->pace, budget, run->now);
	run->unsettled = SIZE_MAX / 2; /* a new margin with the next order */
}

void refresh_spend(struct refresh_run *run, double requests)
{
	refresh_pace_spend(&run->pace, requests);
	for (double i = 0; i < fmin(requests, SIDE_MEMORY); i++)
		note_side(run, true);
}

struct refresh_status refresh_status(const struct refresh_run *run)
{
	struct market_outlook outlook = market_outlook(&run->market);
	double measured = run->audited > 0 ? run->audited_fresh / run->audited : NAN;

	return (struct refresh_status){
		.pages = run->pages.len - run->states[PAGE_UNKNOWN],
		.living = run->states[PAGE_LIVING],
		.fresh_new = run->states[PAGE_NEW],
		.suspect = run->states[PAGE_SUSPECT],
		.dead = run->states[PAGE_DEAD],
		.out = run->out,
		.looks = run->looks,
		.changes = run->changes,
		.margin = run->market.margin,
		.fresh_expected = outlook.fresh,
		.sharp_expected = outlook.sharp,
		.fresh_measured = measured,
		.fresh_error =
			sqrt(measured * (1 - measured) * run->audited_squares) / run->audited,
		.audits = run->audits,
	};
}

void refresh_source_worth(
	const struct refresh_run *run, unsigned source, double *ret_precision, double *ret_recall)
{
	*ret_precision = refresh_precision(&run->sources[source]);
	*ret_recall = refresh_recall(&run->sources[source]);
}
