#include "plan/refresh_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/vec.h"
#include "plan/refresh_allocate.h"
#include "plan/refresh_market.h"
#include "plan/refresh_pace.h"
#include "plan/refresh_wheel.h"

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

/*
 * Where new pages are born: few pages reveal most new links (survey, section 3.2). Of the pages
 * that ever revealed one, the best are kept, with the new links per unit of time that they are good
 * for. A look at a hub is worth what is expected to be new there by now.
 */
enum { HUBS = 64 };

struct hub {
	uint32_t page;
	double born; /* new links, fading by half with each look */
	double time; /* in which they came, fading alike */
	double seen; /* the last look */
};

/* A zeroed struct is empty. */
struct hubs {
	struct hub list[HUBS];
	size_t len;
};

/* Bits of wheel_item.mark. */
enum {
	PAGE_UNKNOWN = 0, /* a number that was left out */
	PAGE_NEW,         /* never looked at */
	PAGE_LIVING,
	PAGE_SUSPECT, /* gone once */
	PAGE_DEAD,    /* gone at least twice */
	PAGE_WITHDRAWN,
	PAGE_STATES,
	PAGE_STATE = 7,
	PAGE_OUT = 8,
	PAGE_TOLD = 16, /* harmonic: its source announces most of its changes */
	PAGE_SOURCE_SHIFT = 5,
	PAGE_SOURCE = 15 << PAGE_SOURCE_SHIFT,
	PAGE_TRIES_SHIFT = 9, /* failures, or looks since it is dead */
	PAGE_TRIES = 31 << PAGE_TRIES_SHIFT,
};

enum { GROUP_MAX = (1 << 28) - 1 }; /* bits of watched.group */

/* 24 bytes; 16 more are in the wheel. */
struct watched {
	double since; /* last look, moved back by announcements; -INFINITY: none */
	float rate;   /* of changes that no source announces */
	float weight;
	uint32_t group : 28;
	uint32_t announcer : 4; /* the source that announced a change since the last look; 0 */
	uint32_t sibling;       /* next member of the group, a ring */
};

_Static_assert(REFRESH_SOURCES <= 16, "a source fits into the bits of announcer and PAGE_SOURCE");

VEC_DECLARE(watched_pages, struct watched);

struct group {
	uint32_t member; /* where to go on; UINT32_MAX: none yet */
	uint32_t size;
	uint32_t walked;          /* cycle in which it was, plus one */
	double changes, expected; /* of this cycle or so, fading */
	double at;                /* time up to which they have faded */
};

VEC_DECLARE(group_vec, struct group);

/* A group whose members are looked at, one after another. */
struct errand {
	uint32_t group, left;
};

VEC_DECLARE(errand_vec, struct errand);

/* Sums over audits. */
struct audited {
	double weights, squares; /* of weights */
};

struct refresh_run {
	struct refresh_params params;
	struct refresh_aim aim; /* the market's */
	struct refresh_pace pace;
	struct market market;
	struct wheel_items items; /* by page */
	struct wheel wheel;       /* pages by the time at which the policy wants them; new ones */
	struct wheel pauses;      /* those that do not answer, or are gone: never before time */
	struct watched_pages pages;
	struct group_vec groups; /* by number; that of number 0 is not used */
	struct refresh_source sources[REFRESH_SOURCES];
	size_t source_pages[REFRESH_SOURCES]; /* whose changes each announces */
	struct hubs hubs;
	struct rng rng;
	double base, tick; /* time of tick 0, and between two ticks */
	double now;
	size_t states[PAGE_STATES], out;
	size_t looks, changes;
	size_t unsettled;  /* changes of the market since its margin was found */
	size_t unscrubbed; /* pages whose due time was not checked since */
	uint32_t scrub;    /* the next one that is */

	/* Orders that their shares have earned. */
	double explore_due, birth_due, first_due;
	double audit_at;           /* when the next audit is due */
	double audits_owed;        /* that are due besides */
	double side;               /* share of requests that were not due pages */
	double pairs;              /* sharp: pages with two looks around each instant */
	double late;               /* how long pages wait when they are due */
	struct audited audited[2]; /* stale copies, fresh ones */
	size_t audits;

	/* sample */
	uint64_t cycle; /* number of the present one */
	uint64_t drawn; /* samples drawn in it */
	uint64_t mask, key;
	struct errand_vec errands; /* taken from the front */
	size_t errand;
};

static struct wheel_item *item_of(const struct refresh_run *run, uint32_t page)
{
	return &run->items.ptr[page];
}

static unsigned state_of(const struct refresh_run *run, uint32_t page)
{
	return item_of(run, page)->mark & PAGE_STATE;
}

static unsigned source_of(const struct refresh_run *run, uint32_t page)
{
	return (item_of(run, page)->mark & PAGE_SOURCE) >> PAGE_SOURCE_SHIFT;
}

/* Whether it may be ordered now, apart from time and budget. */
static bool is_free(const struct refresh_run *run, uint32_t page)
{
	unsigned mark = item_of(run, page)->mark, state = mark & PAGE_STATE;

	return !(mark & PAGE_OUT) && (state == PAGE_NEW || state == PAGE_LIVING);
}

/* When a tick begins. */
static double run_time(const struct refresh_run *run, double tick)
{
	return run->base + run->tick * tick;
}

/* ---- where new pages are born ---- */

/* Expected new links below which a look for them is not worth it. */
#define EXPECTED_MIN 0.5

static double hub_yield(const struct hub *hub)
{
	return hub->time > 0 ? hub->born / hub->time : 0;
}

static struct hub *hubs_find(struct hubs *h, uint32_t page)
{
	for (size_t i = 0; i < h->len; i++)
		if (h->list[i].page == page)
			return &h->list[i];
	return NULL;
}

/* Room for a hub of this yield: a free one, or that of a worse hub. */
static struct hub *room_for(struct hubs *h, double new_yield)
{
	struct hub *worst = &h->list[0];

	if (h->len < HUBS)
		return &h->list[h->len++];
	for (size_t i = 1; i < h->len; i++)
		if (hub_yield(&h->list[i]) < hub_yield(worst))
			worst = &h->list[i];
	return hub_yield(worst) < new_yield ? worst : NULL;
}

/* A look at a page, a time after the one before, revealed so many new links. */
static void hubs_seen(struct hubs *h, uint32_t page, uint32_t born, double elapsed, double now)
{
	struct hub *hub = hubs_find(h, page);

	if (hub) {
		hub->born = hub->born / 2 + born;
		hub->time = hub->time / 2 + elapsed;
		hub->seen = now;
		return;
	}
	if (born == 0 || !(elapsed > 0))
		return;
	hub = room_for(h, born / elapsed);
	if (hub)
		*hub = (struct hub){.page = page, .born = born, .time = elapsed, .seen = now};
}

static void hubs_forget(struct hubs *h, uint32_t page)
{
	struct hub *hub = hubs_find(h, page);

	if (hub)
		*hub = h->list[--h->len];
}

/* The hub with most new links expected; NULL where no hub may have half a link. */
static const struct hub *hubs_best(const struct hubs *h, double now)
{
	const struct hub *best = NULL;
	double most = EXPECTED_MIN;

	for (size_t i = 0; i < h->len; i++) {
		double expected = hub_yield(&h->list[i]) * (now - h->list[i].seen);

		if (expected > most) {
			most = expected;
			best = &h->list[i];
		}
	}
	return best;
}

/* ---- pages: what is known of them, and when each is due ---- */

#define RECALL_MAX  0.99 /* silence is never proof */
#define RECALL_TOLD 0.8  /* from here on a page waits for its announcement, under harmonic */

enum { SOONER = 16 }; /* part of the time around an instant */

static uint32_t run_tick(const struct refresh_run *run, double time)
{
	double tick = floor((time - run->base) / run->tick);

	if (run_time(run, tick + 1) <= time) /* lost by rounding */
		tick++;
	if (!(tick > 0))
		return 0;
	return tick < (double)(UINT32_MAX - 1) ? (uint32_t)tick : UINT32_MAX - 1;
}

static void run_due(struct refresh_run *run, uint32_t page, double time)
{
	wheel_remove(&run->pauses, page);
	wheel_put(&run->wheel, page, run_tick(run, time));
}

static void run_pause(struct refresh_run *run, uint32_t page, double time)
{
	wheel_remove(&run->wheel, page);
	wheel_put(&run->pauses, page, run_tick(run, time));
}

static void run_unschedule(struct refresh_run *run, uint32_t page)
{
	wheel_remove(&run->wheel, page);
	wheel_remove(&run->pauses, page);
}

/* A number from 0 up to 1 that stays with the page. */
static double draw_of(uint32_t page)
{
	uint64_t state = page;

	return (double)(rng_splitmix64(&state) >> 11) * 0x1p-53;
}

static struct market_page run_traded(const struct refresh_run *run, uint32_t page)
{
	const struct watched *w = &run->pages.ptr[page];

	return (struct market_page){
		w->rate, w->weight, (item_of(run, page)->mark & PAGE_TOLD) != 0};
}

static bool is_on_market(unsigned state)
{
	return state == PAGE_LIVING || state == PAGE_SUSPECT;
}

static void run_set_state(struct refresh_run *run, uint32_t page, unsigned state)
{
	struct wheel_item *item = item_of(run, page);

	run->states[item->mark & PAGE_STATE]--;
	run->states[state]++;
	item->mark = (uint16_t)((item->mark & ~PAGE_STATE) | state);
}

static void run_leave_market(struct refresh_run *run, uint32_t page)
{
	if (!is_on_market(state_of(run, page)))
		return;
	market_remove(&run->market, run_traded(run, page));
	run->unsettled++;
}

static int run_enter_market(struct refresh_run *run, uint32_t page)
{
	run->unsettled++;
	return market_add(&run->market, run_traded(run, page));
}

/* sharp, two looks around an instant: from the instant to either. Pages are spread over the time
 * that the looks at all of them take. */
static double half_pair(const struct refresh_run *run, uint32_t page)
{
	return run->aim.gap * market_place(&run->market, run_traded(run, page), draw_of(page));
}

/* The next of them behind a time. A first look that is late may miss the instant, which costs the
 * pair, while one that is early costs little: so all of these are due somewhat sooner. */
static double next_of_pair(const struct refresh_run *run, uint32_t page, double since)
{
	double grid = run->aim.grid, half = half_pair(run, page);
	double instant = ceil(since / grid) * grid;
	double first = instant - half - run->aim.gap / SOONER;

	/* The first look is never earlier. */
	return since >= first - 2 * run->tick ? instant + half : first;
}

static double run_wanted(const struct refresh_run *run, uint32_t page)
{
	return market_demand(&run->market, run_traded(run, page), draw_of(page));
}

/* When the policy wants the next look; infinite: never. */
static double run_due_time(const struct refresh_run *run, uint32_t page)
{
	double since = run->pages.ptr[page].since, f;

	if (!run->params.policy->demand || run_traded(run, page).announced)
		return INFINITY;
	f = run_wanted(run, page);
	if (f <= 0)
		return INFINITY;
	if (run->params.policy == &REFRESH_SHARP && refresh_sharp_pairs(&run->aim, f))
		return next_of_pair(run, page, since);
	return since + 1 / f;
}

static void run_schedule(struct refresh_run *run, uint32_t page)
{
	double due = run_due_time(run, page);

	if (isinf(due))
		run_unschedule(run, page);
	else
		run_due(run, page, due);
}

/* Silence of a source that announces most changes means that little has changed. */
static double recall_of(const struct refresh_run *run, uint32_t page)
{
	unsigned source = source_of(run, page);

	return source ? fmin(refresh_recall(&run->sources[source]), RECALL_MAX) : 0;
}

static void run_set_rate(struct refresh_run *run, uint32_t page, double rate)
{
	struct wheel_item *item = item_of(run, page);
	double recall = recall_of(run, page);

	item->mark &= (uint16_t)~PAGE_TOLD;
	if (run->params.policy == &REFRESH_HARMONIC && recall >= RECALL_TOLD) {
		item->mark |= PAGE_TOLD;
		recall = 0;
	}
	run->pages.ptr[page].rate = (float)(rate * (1 - recall));
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

static void run_advance(struct refresh_run *run, double now)
{
	run->now = fmax(run->now, now);
	if (run->wheel.cursor > REBASE_AT || run->pauses.cursor > REBASE_AT)
		rebase(run, run->tick);
}

/* ---- pages that change together ---- */

/*
 * Pages that change together.
 *
 * sample (Tan et al., algorithms 1 and 2): in each cycle pages are drawn at random, each at most
 * once. A sample that has changed sends us to the other pages of its group before the next sample
 * is drawn. The random order is a permutation of the page numbers that is computed, not stored:
 * four rounds of a Feistel network over a power of two, numbers beyond the last page left out.
 *
 * hybrid: the chance that a page has changed by its own rate, times how much more than expected has
 * changed in its group lately. What is due without activity is kept in the wheel; a change that is
 * found lets a few more members of the group be looked at now, if the product is high enough. If
 * these have changed too, they do the same.
 */
enum {
	PROMOTED = 8, /* members looked at again after a change */
	ROUNDS = 4,
};

/* Changes that are assumed of a group without looks. */
#define PRIOR_CHANGES 0.5

static int reserve_group(struct refresh_run *run, uint32_t group)
{
	while (run->groups.len <= group)
		TRY(group_vec_try_push(&run->groups, (struct group){.member = UINT32_MAX}));
	return 0;
}

static int groups_join(struct refresh_run *run, uint32_t page, uint32_t group)
{
	struct watched *w = &run->pages.ptr[page];
	struct group *g;

	TRY(reserve_group(run, group));
	g = &run->groups.ptr[group];
	w->group = group & GROUP_MAX;
	w->sibling = page;
	if (g->member != UINT32_MAX) {
		w->sibling = run->pages.ptr[g->member].sibling;
		run->pages.ptr[g->member].sibling = page;
	}
	g->member = page;
	g->size++;
	return 0;
}

static void fade(struct refresh_run *run, struct group *g)
{
	double keep = exp(-(run->now - g->at) / run->params.cycle);

	if (!(run->now > g->at))
		return;
	g->at = run->now;
	g->changes *= keep;
	g->expected *= keep;
}

static double chance(const struct refresh_run *run, const struct watched *w)
{
	return -expm1(-(double)w->rate * (run->now - w->since));
}

/* Looks at a few members of an active group now. */
static void promote(struct refresh_run *run, struct group *g)
{
	double activity = (g->changes + PRIOR_CHANGES) / (g->expected + PRIOR_CHANGES);

	for (uint32_t i = 0; i < PROMOTED && i < g->size; i++) {
		uint32_t page = g->member;
		const struct watched *w = &run->pages.ptr[page];

		g->member = w->sibling;
		if (is_free(run, page) && state_of(run, page) == PAGE_LIVING &&
			(double)w->weight * chance(run, w) * activity >= run->market.margin)
			run_due(run, page, run->now);
	}
}

/* Sends us to a group, once in a cycle. Without memory there is one errand less. */
static void send(struct refresh_run *run, uint32_t group)
{
	struct group *g = &run->groups.ptr[group];

	if (g->walked != run->cycle + 1 &&
		errand_vec_try_push(&run->errands, (struct errand){group, g->size}) == 0)
		g->walked = (uint32_t)run->cycle + 1;
}

static void groups_learn(struct refresh_run *run, const struct refresh_order *order,
	const struct refresh_look *look, double since)
{
	const struct watched *w = &run->pages.ptr[order->page];
	bool changed = look->outcome == REFRESH_CHANGED || look->outcome == REFRESH_GONE;
	struct group *g;

	if (!run->params.policy->groups || w->group == REFRESH_NO_GROUP || isinf(since))
		return;
	g = &run->groups.ptr[w->group];
	if (run->params.policy == &REFRESH_SAMPLE) {
		if (order->purpose == REFRESH_SAMPLED && changed)
			send(run, w->group);
		return;
	}
	fade(run, g);
	g->expected += -expm1(-(double)w->rate * (look->time - since));
	if (changed) {
		g->changes++;
		promote(run, g);
	}
}

/* A number of the permutation. */
static uint64_t permuted(const struct refresh_run *run, uint64_t number)
{
	unsigned half = 0;
	uint64_t left, right, low;

	while (run->mask >> (2 * half))
		half++;
	low = ((uint64_t)1 << half) - 1;
	left = number >> half;
	right = number & low;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t state = run->key + (right << 8) + i, mixed = rng_splitmix64(&state);
		uint64_t next = left ^ (mixed & low);

		left = right;
		right = next;
	}
	return left << half | right;
}

static void begin_cycle(struct refresh_run *run, uint64_t cycle)
{
	run->cycle = cycle;
	run->drawn = 0;
	run->key = rng_u64(&run->rng);
	run->mask = 1;
	while (run->mask < run->pages.len)
		run->mask = 2 * run->mask + 1;
	run->errands.len = run->errand = 0;
}

static double groups_cycle_end(const struct refresh_run *run)
{
	return run->params.start + run->params.cycle * (double)run->cycle;
}

static bool is_wanted(const struct refresh_run *run, uint32_t page)
{
	double begun = groups_cycle_end(run) - run->params.cycle;

	return is_free(run, page) && run->pages.ptr[page].since < begun;
}

static bool on_errand(struct refresh_run *run, uint32_t *ret_page)
{
	for (; run->errand < run->errands.len; run->errand++) {
		struct errand *e = &run->errands.ptr[run->errand];
		struct group *g = &run->groups.ptr[e->group];

		while (e->left > 0) {
			uint32_t page = g->member;

			e->left--;
			g->member = run->pages.ptr[page].sibling;
			if (is_wanted(run, page)) {
				*ret_page = page;
				return true;
			}
		}
	}
	return false;
}

/* Numbers of the Feistel network: the smallest square of a power of two above the mask. */
static uint64_t numbers(const struct refresh_run *run)
{
	unsigned half = 0;

	while (run->mask >> (2 * half))
		half++;
	return (uint64_t)1 << (2 * half);
}

static bool groups_sample(struct refresh_run *run, struct refresh_order *ret_order)
{
	double passed = floor((run->now - run->params.start) / run->params.cycle);
	uint64_t cycle = (uint64_t)fmax(0, passed) + 1;

	if (run->cycle != cycle)
		begin_cycle(run, cycle);
	if (on_errand(run, &ret_order->page)) {
		ret_order->purpose = REFRESH_LOOK;
		return true;
	}
	for (uint64_t end = numbers(run); run->drawn < end;) {
		uint64_t page = permuted(run, run->drawn++);

		if (page < run->pages.len && is_wanted(run, (uint32_t)page)) {
			*ret_order = (struct refresh_order){(uint32_t)page, REFRESH_SAMPLED};
			return true;
		}
	}
	return false;
}

/* ---- what the caller tells ---- */

static int check_facts(const struct refresh_facts *f)
{
	return refresh_number_ok(f->rate) && refresh_number_ok(f->weight) &&
			       f->source < REFRESH_SOURCES && f->group <= GROUP_MAX
		       ? 0
		       : ERR_RANGE;
}

static int make_room(struct refresh_run *run, uint32_t page, uint32_t group)
{
	int rc = wheel_items_reach(&run->items, page);

	while (rc == 0 && run->pages.len <= page) {
		rc = watched_pages_try_push(&run->pages, (struct watched){.since = -INFINITY});
		run->states[PAGE_UNKNOWN] += rc == 0;
	}
	return rc ? rc : reserve_group(run, group);
}

static void set_facts(struct refresh_run *run, uint32_t page, const struct refresh_facts *facts)
{
	struct wheel_item *item = item_of(run, page);

	run->source_pages[source_of(run, page)] -= state_of(run, page) != PAGE_UNKNOWN;
	run->source_pages[facts->source]++;
	item->mark = (uint16_t)((item->mark & ~PAGE_SOURCE) | facts->source << PAGE_SOURCE_SHIFT);
	run_set_rate(run, page, facts->rate);
	run->pages.ptr[page].weight = (float)facts->weight;
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
	if (state == PAGE_UNKNOWN || state == PAGE_WITHDRAWN) {
		if (state == PAGE_UNKNOWN && facts->group &&
			(rc = groups_join(run, page, facts->group)))
			return rc;
		set_facts(run, page, facts);
		run_set_state(run, page, PAGE_NEW);
		if (!(item_of(run, page)->mark & PAGE_OUT))
			wheel_queue(&run->wheel, page);
		return 0;
	}
	run_leave_market(run, page);
	set_facts(run, page, facts);
	if (is_on_market(state))
		rc = run_enter_market(run, page);
	if (state == PAGE_LIVING && !(item_of(run, page)->mark & (PAGE_OUT | PAGE_TRIES)))
		run_schedule(run, page);
	return rc;
}

bool refresh_copy(const struct refresh_run *run, uint32_t page, double now, double *ret_weight,
	double *ret_exposure)
{
	unsigned state = page < run->pages.len ? state_of(run, page) : PAGE_UNKNOWN;

	if (state != PAGE_LIVING && state != PAGE_NEW)
		return false;
	*ret_weight = (double)run->pages.ptr[page].weight;
	*ret_exposure = fmax(0, now - run->pages.ptr[page].since) * (1 - recall_of(run, page));
	return true;
}

void refresh_withdraw(struct refresh_run *run, uint32_t page)
{
	run_leave_market(run, page);
	run_unschedule(run, page);
	hubs_forget(&run->hubs, page);
	run_set_state(run, page, PAGE_WITHDRAWN);
}

enum {
	TRIES_MAX = PAGE_TRIES >> PAGE_TRIES_SHIFT,
	DOUBLED_MAX = 12,     /* times that a pause doubles */
	REST_OF_CONFIRM = 16, /* first pause of a dead page, in times of confirmation */
};

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

void refresh_audited(struct refresh_run *run, uint32_t page, bool fresh)
{
	double weight = (double)run->pages.ptr[page].weight;
	struct audited *sums = &run->audited[fresh];

	run->audits++;
	sums->weights += weight;
	sums->squares += weight * weight;
}

/* Without an answer nobody knows whether the copy is current, unless there is none. */
static void judge(
	struct refresh_run *run, const struct refresh_order *order, const struct refresh_look *look)
{
	bool has_copy = !isinf(run->pages.ptr[order->page].since);
	bool is_known = look->outcome != REFRESH_FAILED || !has_copy;

	if (order->purpose == REFRESH_AUDIT && look->outcome != REFRESH_RETURNED && is_known)
		refresh_audited(run, order->page, has_copy && look->outcome == REFRESH_SAME);
}

/* A source without pages of its own speaks of all. */
static bool is_responsible(const struct refresh_run *run, unsigned source, uint32_t page)
{
	const struct refresh_source *s = &run->sources[source];

	return source == source_of(run, page) ||
	       (run->source_pages[source] == 0 && s->announced_changed + s->announced_same > 0);
}

static void learn_sources(struct refresh_run *run, uint32_t page, bool changed)
{
	unsigned announcer = run->pages.ptr[page].announcer;

	run->pages.ptr[page].announcer = 0;
	if (announcer)
		refresh_source_learn(&run->sources[announcer], true, changed);
	for (unsigned s = 1; changed && s < REFRESH_SOURCES; s++)
		if (s != announcer && is_responsible(run, s, page))
			refresh_source_learn(&run->sources[s], false, true);
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
		learn_sources(run, order->page, changed);
		hubs_seen(&run->hubs, order->page, look->born, look->time - since, look->time);
	}
	w->since = look->time;
	groups_learn(run, order, look, since);
}

/* A page that answered. Without memory it waits outside the market: looked at by chance only. */
static void lives(struct refresh_run *run, uint32_t page, double rate)
{
	run_leave_market(run, page);
	if (refresh_number_ok(rate))
		run_set_rate(run, page, rate);
	run_set_state(run, page, PAGE_LIVING);
	forget_tries(run, page);
	(void)run_enter_market(run, page);
	run_schedule(run, page);
}

static void is_gone(struct refresh_run *run, uint32_t page, double time)
{
	if (state_of(run, page) == PAGE_NEW || state_of(run, page) == PAGE_LIVING) {
		if (state_of(run, page) == PAGE_NEW) /* its demand counts until it is confirmed */
			(void)run_enter_market(run, page);
		run_set_state(run, page, PAGE_SUSPECT);
		forget_tries(run, page);
		run_pause(run, page, time + run->params.confirm);
		return;
	}
	if (state_of(run, page) == PAGE_SUSPECT) {
		run_leave_market(run, page);
		hubs_forget(&run->hubs, page);
		run_set_state(run, page, PAGE_DEAD);
	}
	run_pause(run, page, time + pause_of(run, page, run->params.confirm * REST_OF_CONFIRM));
}

static void report(
	struct refresh_run *run, const struct refresh_order *order, const struct refresh_look *look)
{
	uint32_t page = order->page;

	run_advance(run, look->time);
	if (state_of(run, page) == PAGE_WITHDRAWN)
		return;
	judge(run, order, look);
	switch (look->outcome) {
	case REFRESH_RETURNED:
		run_due(run, page, run->base); /* what has passed is due at once */
		break;
	case REFRESH_FAILED:
		run_pause(run, page, look->time + pause_of(run, page, run->params.confirm));
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

/* As if so much time had passed without a look that a change is as likely as the source is right.
 * An earlier announcement, by a source that is right less often, counts with it. */
static void make_older(struct refresh_run *run, uint32_t page, double precision, double earlier)
{
	struct watched *w = &run->pages.ptr[page];

	if (w->rate > 0) {
		w->since += (log1p(-precision) - log1p(-earlier)) / (double)w->rate;
		run_schedule(run, page);
	} else {
		run_due(run, page, run->now);
	}
}

int refresh_signal(struct refresh_run *run, uint32_t page, unsigned source, double now)
{
	double precision, earlier = 0;
	struct watched *w;

	if (page >= run->pages.len || source == 0 || source >= REFRESH_SOURCES ||
		state_of(run, page) == PAGE_UNKNOWN)
		return ERR_NOTFOUND;
	run_advance(run, now);
	w = &run->pages.ptr[page];
	precision = refresh_precision(&run->sources[source]);
	if (w->announcer)
		earlier = refresh_precision(&run->sources[w->announcer]);
	if (precision <= earlier)
		return 0; /* it says no more than what was said already */
	w->announcer = source & 15;
	if (!is_free(run, page) || state_of(run, page) != PAGE_LIVING)
		return 0;
	if (!run_traded(run, page).announced)
		make_older(run, page, precision, earlier);
	else if (rng_double(&run->rng) < run_wanted(run, page))
		run_due(run, page, now);
	return 0;
}

struct refresh_source refresh_source(const struct refresh_run *run, unsigned source)
{
	return run->sources[source];
}

void refresh_set_source(
	struct refresh_run *run, unsigned source, const struct refresh_source *worth)
{
	run->sources[source] = *worth;
}

/* ---- what to look at next ---- */

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
	const struct hub *hub;

	ret->purpose = REFRESH_BIRTH;
	if (wheel_queued(&run->wheel, &ret->page))
		return true;
	hub = hubs_best(&run->hubs, run->now);
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

/* By the run itself: what was due before it began is not counted. */
static void note_late(struct refresh_run *run, uint32_t page)
{
	double due = run_time(run, item_of(run, page)->due);
	double late = run->now - fmax(due, run->params.start);

	run->late += (fmax(0, late) - run->late) / LATE_MEMORY;
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
	double audited = run->audited[0].weights + run->audited[1].weights;
	struct market_curve none = {0};

	return (struct refresh_status){
		.curve = run->states[PAGE_LIVING] > 0 ? run->market.curve : none,
		.pages = run->pages.len - run->states[PAGE_UNKNOWN],
		.living = run->states[PAGE_LIVING],
		.unseen = run->states[PAGE_NEW],
		.suspect = run->states[PAGE_SUSPECT],
		.dead = run->states[PAGE_DEAD],
		.out = run->out,
		.looks = run->looks,
		.changes = run->changes,
		.queued = run->wheel.queued,
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
