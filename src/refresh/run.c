#include "refresh/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "refresh/allocate.h"
#include "refresh/run_state.h"

enum {
	SCRUBBED = 2,   /* due times checked with every order */
	DRAWS_MAX = 16, /* random pages tried before there is none */
	SETTLE_MIN = 64,
	SETTLE_FEW = 8,
	IDLE_SCRUBBED = 64, /* the same when there is nothing to do */
	SIDE_MEMORY = 512,  /* requests over which the share of others is measured */
	RESERVE = 2,        /* requests kept back when nothing is due: then pages go early */
	LATE_MEMORY = 32,   /* looks over which it is measured how late they are */
	PAST = 1 << 16,     /* ticks before the start: what was due then keeps its order */
	TICK_RANGE = 4,     /* how far a tick may be from the time between two requests */
};

#define AUDIT_DEFAULT   0.01
#define EXPLORE_DEFAULT 0.01
#define BIRTH_DEFAULT   0.1
#define EARNED_MAX      2.0 /* orders of a share that wait, at most */
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

/* Audits come as a Poisson process: however looks are spread, audits see the archive as it is at
 * all times. It has no memory, so it may begin anew at any time. */
static void plan_audit(struct refresh_run *run)
{
	double rate = run->params.audit * run->params.budget;

	run->audit_at = rate > 0 ? run->now + rng_exponential(&run->rng, rate) : INFINITY;
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
	run->now = run->params.start;
	run->tick = 1 / run->params.budget; /* about a page for each tick */
	run->base = run->now - PAST * run->tick;
	wheel_init(&run->wheel, &run->items, 0);
	wheel_init(&run->pauses, &run->items, 1);
	market_init(&run->market, run->params.policy, &run->aim);
	refresh_pace_init(&run->pace, run->params.budget, run->params.minute, run->now);
	rng_init(&run->rng, run->params.seed);
	/* A run that is replaced soon gives exploration what it is owed, on average. */
	run->explore_due = rng_double(&run->rng);
	run->audit_at = -INFINITY; /* planned when orders are asked for */
	return run;
}

void refresh_run_free(struct refresh_run *run)
{
	if (!run)
		return;
	wheel_items_release(&run->items);
	market_release(&run->market);
	watched_pages_release(&run->pages);
	group_vec_release(&run->groups);
	errand_vec_release(&run->errands);
	free(run);
}

/* What due pages may want. Less while they are late: else they stay so. Pairs come all at once:
 * some of them are always late. */
static double bandwidth(const struct refresh_run *run)
{
	double late = run->pairs > 0 ? 0 : run->late;
	double queue = late * run->params.budget / fmax((double)run->pages.len, 1);

	return run->params.budget * (1 - run->side) / (1 + queue);
}

/* A new margin, when enough has changed. The time that pairs need around an instant follows. */
static void settle(struct refresh_run *run)
{
	size_t enough = run->pages.len / 16 + 4 * run->market.cells.len + SETTLE_MIN;

	if (enough > run->pages.len + SETTLE_FEW)
		enough = run->pages.len + SETTLE_FEW;
	if (run->unsettled == 0 || (run->unsettled < enough && run->unsettled < run->looks))
		return;
	run->unsettled = 0;
	run->unscrubbed = run->pages.len;
	market_clear(&run->market, bandwidth(run));
	if (run->params.policy != &REFRESH_SHARP)
		return;
	run->pairs = market_pairs(&run->market);
	if (!(run->params.aim.gap > 0))
		run->aim.gap = fmin(run->aim.grid / 2, run->tick + run->pairs / bandwidth(run));
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
		run->unscrubbed -= run->unscrubbed > 0;
		if ((item->mark & (PAGE_STATE | PAGE_OUT | PAGE_TRIES)) != PAGE_LIVING)
			continue;
		due = run_due_time(run, page);
		is = item->list == WHEEL_OUT ? INFINITY : run_time(run, item->due);
		if (due == is || (run->params.policy->groups && due > is))
			continue;
		if (isinf(due) || isinf(is) ||
			fabs(due - is) > run->tick + (due - run->pages.ptr[page].since) / TOLERANCE)
			run_schedule(run, page);
	}
}

/* An audit is for all pages that are wanted: also those without a copy, and those that are out. */
static bool may_draw(const struct refresh_run *run, enum refresh_purpose purpose, uint32_t page)
{
	unsigned state = state_of(run, page);

	if (purpose == REFRESH_AUDIT)
		return state == PAGE_NEW || state == PAGE_LIVING;
	return state == PAGE_LIVING && is_free(run, page);
}

static bool draw(struct refresh_run *run, enum refresh_purpose purpose, struct refresh_order *ret)
{
	for (int i = 0; i < DRAWS_MAX && run->pages.len > 0; i++) {
		uint32_t page = (uint32_t)rng_below(&run->rng, run->pages.len);

		if (may_draw(run, purpose, page)) {
			*ret = (struct refresh_order){page, purpose};
			return true;
		}
	}
	return false;
}

/* A time that was missed by more than a minute does not count: nobody asked then. */
static bool choose_audit(struct refresh_run *run, struct refresh_order *ret)
{
	bool was_missed = run->now - run->audit_at > run->params.minute;

	if (run->audits_owed >= 1) {
		run->audits_owed -= 1;
		return draw(run, REFRESH_AUDIT, ret);
	}
	if (run->now < run->audit_at)
		return false;
	plan_audit(run);
	return !was_missed && draw(run, REFRESH_AUDIT, ret);
}

/* New pages that are known go before those that a hub may reveal. */
static bool choose_birth(struct refresh_run *run, struct refresh_order *ret)
{
	const struct refresh_hub *hub;

	ret->purpose = REFRESH_BIRTH;
	if (wheel_queued(&run->wheel, &ret->page))
		return true;
	hub = refresh_hubs_best(&run->hubs, run->now);
	if (!hub || !is_free(run, hub->page))
		return false;
	ret->page = hub->page;
	return true;
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
	return (earned(&run->explore_due) && draw(run, REFRESH_EXPLORE, ret)) ||
	       (earned(&run->birth_due) && choose_birth(run, ret));
}

/* Whether a look before its time is of use: not where it must lie behind an instant. */
static bool may_be_early(const struct refresh_run *run, uint32_t page)
{
	return run->params.policy == &REFRESH_SHARP
		       ? !refresh_sharp_pairs(&run->aim, run_wanted(run, page))
		       : !run->params.policy->patient;
}

/* The page that has been due for longest, by the policy or because its pause is over. */
static bool choose_due(struct refresh_run *run, struct refresh_order *ret)
{
	uint32_t now = run_tick(run, run->now), due, over, page;
	bool is_due = wheel_first(&run->wheel, now, &ret->page, &due);

	ret->purpose = REFRESH_LOOK;
	if (wheel_first(&run->pauses, now, &page, &over) && (!is_due || over < due)) {
		ret->page = page;
		return true;
	}
	return is_due;
}

/* When the first pause is over, or somewhat before; infinite: there is none. */
static double end_of_pause(const struct refresh_run *run)
{
	uint32_t page, tick;

	return wheel_peek(&run->pauses, &page, &tick) ? run_time(run, tick) : INFINITY;
}

/* A page before it is due, when budget would be lost; else *ret_until is when to ask again. */
static bool choose_early(struct refresh_run *run, struct refresh_order *ret, double *ret_until)
{
	/* Pairs need many requests at once: these must have accrued. */
	double until = INFINITY, reserve = run->pairs > 0 ? INFINITY : RESERVE;
	uint32_t due;

	ret->purpose = REFRESH_LOOK;
	*ret_until = end_of_pause(run);
	if (!wheel_peek(&run->wheel, &ret->page, &due))
		return false;
	*ret_until = fmin(*ret_until, run_time(run, due));
	if (!may_be_early(run, ret->page))
		return false;
	if (refresh_pace_surplus(&run->pace, run->now, reserve, &until))
		return true;
	*ret_until = fmin(*ret_until, until);
	return false;
}

/*
 * A page that was never looked at: of those the archive has nothing yet. A first copy is worth more
 * than any second look, 1/λ against (1 - e^-λs)/λ, so these come first; a little is left for pages
 * that are due, since there may always be more new ones than the budget allows.
 */
static bool choose_first(struct refresh_run *run, struct refresh_order *ret)
{
	ret->purpose = REFRESH_BIRTH;
	return earned(&run->first_due) && wheel_queued(&run->wheel, &ret->page);
}

static bool choose(struct refresh_run *run, struct refresh_order *ret, double *ret_until)
{
	*ret_until = INFINITY;
	if (choose_share(run, ret) || choose_first(run, ret) || choose_due(run, ret))
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

/* Births go to them as well. */
static double first_share(const struct refresh_run *run)
{
	return fmax(0, REFRESH_FIRST_SHARE - run->params.birth);
}

static void earn(struct refresh_run *run)
{
	run->explore_due = fmin(run->explore_due + run->params.explore, EARNED_MAX);
	run->birth_due = fmin(run->birth_due + run->params.birth, EARNED_MAX);
	if (run->wheel.queued > 0)
		run->first_due = fmin(run->first_due + first_share(run), EARNED_MAX);
	else
		run->first_due = 0;
}

static void note_side(struct refresh_run *run, bool side)
{
	run->side += ((side ? 1.0 : 0.0) - run->side) / SIDE_MEMORY;
}

/* Ticks begin anew, so many before the present, and may have another length. */
static void rebase(struct refresh_run *run, double tick)
{
	double scale = run->tick / tick;
	double passed = (double)run_tick(run, run->now) - PAST / scale;
	uint32_t dropped = passed > 0 ? (uint32_t)passed : 0;

	run->base += run->tick * (double)dropped;
	run->tick = tick;
	wheel_rebase(&run->wheel, dropped, scale, true);
	wheel_rebase(&run->pauses, dropped, scale, false);
}

/* By the run itself: what was due before it began is not counted. */
static void note_late(struct refresh_run *run, uint32_t page)
{
	double due = run_time(run, item_of(run, page)->due);
	double late = run->now - fmax(due, run->params.start);

	run->late += (fmax(0, late) - run->late) / LATE_MEMORY;
}

void run_advance(struct refresh_run *run, double now)
{
	run->now = fmax(run->now, now);
	if (run->wheel.cursor > REBASE_AT || run->pauses.cursor > REBASE_AT)
		rebase(run, run->tick);
}

/*
 * Budget is left and nothing is due: time to check all due times once by the present margin, if
 * the policy waits. Others look early at what is due next: while rates are learned, due times of
 * another margin let them return to pages that the present one gives up. When all pages are given
 * up, as after a change of all rates, another margin may be worth some looks.
 */
static void reconsider(struct refresh_run *run, double *ret_until)
{
	if (run->states[PAGE_LIVING] == 0)
		return;
	if (run->wheel.len == 0 && run->unsettled > 0)
		run->unsettled = SIZE_MAX / 2;
	else if (run->wheel.len > 0 && (!run->params.policy->patient || run->unscrubbed == 0))
		return;
	scrub(run, IDLE_SCRUBBED);
	*ret_until = fmin(*ret_until, run->now + run->tick);
}

/* What the pace lets go out now. */
static bool choose_in_time(struct refresh_run *run, struct refresh_order *ret, double *ret_until)
{
	if (!refresh_pace_ready(&run->pace, run->now, ret_until))
		return false;
	settle(run);
	scrub(run, SCRUBBED);
	if (choose(run, ret, ret_until))
		return true;
	reconsider(run, ret_until);
	return false;
}

static void send_out(struct refresh_run *run, const struct refresh_order *order)
{
	earn(run);
	refresh_pace_spend(&run->pace, 1);
	note_side(run, order->purpose == REFRESH_AUDIT || order->purpose == REFRESH_EXPLORE ||
			       order->purpose == REFRESH_BIRTH);
	if (order->purpose == REFRESH_LOOK)
		note_late(run, order->page);
	run_unschedule(run, order->page);
	item_of(run, order->page)->mark |= PAGE_OUT;
	run->out++;
}

enum refresh_step refresh_next(
	struct refresh_run *run, double now, struct refresh_order *ret_order, double *ret_until)
{
	struct refresh_order order = {0};

	run_advance(run, now);
	if (!choose_audit(run, &order) && !choose_in_time(run, &order, ret_until)) {
		*ret_until = fmin(*ret_until, run->audit_at);
		return REFRESH_WAIT;
	}
	if (!(item_of(run, order.page)->mark & PAGE_OUT))
		send_out(run, &order);
	*ret_order = order;
	return REFRESH_ORDER;
}

double refresh_audit_at(const struct refresh_run *run)
{
	return run->audits_owed >= 1 ? run->now : run->audit_at;
}

/* A share that is given back takes along what it has accrued. */
static void give_back(struct refresh_run *run, double budget)
{
	double left = run->pace.credit - 1, kept = budget / run->params.budget;

	if (left > 0 && kept < 1)
		refresh_pace_spend(&run->pace, left * (1 - kept));
}

void refresh_set_budget(struct refresh_run *run, double budget, double now)
{
	run_advance(run, now);
	give_back(run, budget);
	run->params.budget = budget;
	refresh_pace_change(&run->pace, budget, run->now);
	run->unsettled = SIZE_MAX / 2; /* a new margin with the next order */
	if (run->audit_at > run->now)  /* one that is due stays so */
		plan_audit(run);
	if (budget * run->tick > TICK_RANGE || budget * run->tick * TICK_RANGE < 1)
		rebase(run, 1 / budget);
}

void refresh_spend(struct refresh_run *run, double requests)
{
	refresh_pace_spend(&run->pace, requests);
	for (int i = 0; i < SIDE_MEMORY && i < requests; i++)
		note_side(run, true);
}

void refresh_accrue(struct refresh_run *run, double requests, bool audits)
{
	refresh_pace_spend(&run->pace, -requests);
	if (audits)
		run->audits_owed += rng_double(&run->rng) + run->params.audit * requests;
}

/*
 * The standard error of the share of fresh audits, a ratio of sums of weights: √(p(1 − p)/n) where
 * weights are equal. Audits at random times are independent, however fresh the archive was at each.
 * For p half an audit more of each kind is counted, as with Jeffreys' prior: some audits that all
 * agree are no certainty, and over many sites the squares of the errors are right on average.
 */
static double audit_error(const struct refresh_run *run)
{
	const struct audited *stale = &run->audited[0], *fresh = &run->audited[1];
	double sum = stale->weights + fresh->weights;
	double usual = (stale->squares + fresh->squares) / sum, half = usual * usual / 2;
	double share = (fresh->weights + usual / 2) / (sum + usual);
	double squares = share * share * (stale->squares + half) +
			 (1 - share) * (1 - share) * (fresh->squares + half);

	return sqrt(squares / (sum * (sum + usual)));
}

struct refresh_status refresh_status(const struct refresh_run *run)
{
	struct market_outlook outlook = market_outlook(&run->market);
	double audited = run->audited[0].weights + run->audited[1].weights;

	return (struct refresh_status){
		.pages = run->pages.len - run->states[PAGE_UNKNOWN],
		.living = run->states[PAGE_LIVING],
		.unseen = run->states[PAGE_NEW],
		.suspect = run->states[PAGE_SUSPECT],
		.dead = run->states[PAGE_DEAD],
		.out = run->out,
		.looks = run->looks,
		.changes = run->changes,
		.queued = run->wheel.queued,
		.margin = run->states[PAGE_LIVING] > 0 ? run->market.margin : 0,
		.fresh_expected = outlook.fresh,
		.sharp_expected = outlook.sharp,
		.fresh_measured = audited > 0 ? run->audited[1].weights / audited : NAN,
		.fresh_error = audited > 0 ? audit_error(run) : NAN,
		.audits = run->audits,
	};
}

double refresh_copied(const struct refresh_run *run)
{
	double with = 0, all = 0;

	for (uint32_t page = 0; page < run->pages.len; page++) {
		unsigned state = state_of(run, page);
		double weight = (double)run->pages.ptr[page].weight;

		if (state != PAGE_LIVING && state != PAGE_NEW)
			continue;
		all += weight;
		with += state == PAGE_LIVING ? weight : 0;
	}
	return all > 0 ? with / all : NAN;
}

size_t refresh_due(const struct refresh_run *run, double now)
{
	uint32_t tick = run_tick(run, now);
	size_t count = run->wheel.queued;

	for (uint32_t page = 0; page < run->pages.len; page++) {
		const struct wheel_item *item = item_of(run, page);
		bool waits = wheel_has(&run->wheel, page) || wheel_has(&run->pauses, page);

		count += waits && item->due <= tick;
	}
	return count;
}

void refresh_inherit(struct refresh_run *run, const struct refresh_run *from)
{
	double budget = run->pace.budget;

	run->pace = from->pace;
	refresh_pace_change(&run->pace, budget, run->now);
	memcpy(run->sources, from->sources, sizeof run->sources);
	memcpy(run->audited, from->audited, sizeof run->audited);
	run->audits = from->audits;
}
