/* What the files of refresh_run share. */
#ifndef REFRESH_RUN_STATE_H
#define REFRESH_RUN_STATE_H

#include "base/rng.h"
#include "base/vec.h"
#include "refresh/hubs.h"
#include "refresh/market.h"
#include "refresh/pace.h"
#include "refresh/run.h"
#include "refresh/sources.h"
#include "refresh/wheel.h"

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
	uint32_t parent; /* 0: none */
	uint32_t size;
	uint32_t walked;          /* cycle in which it was, plus one */
	double rate;              /* sum, for hacs at site level */
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
	struct refresh_hubs hubs;
	struct rng rng;
	double base, tick; /* time of tick 0, and between two ticks */
	double now;
	double weight_max;
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

static inline struct wheel_item *item_of(const struct refresh_run *run, uint32_t page)
{
	return &run->items.ptr[page];
}

static inline unsigned state_of(const struct refresh_run *run, uint32_t page)
{
	return item_of(run, page)->mark & PAGE_STATE;
}

static inline unsigned source_of(const struct refresh_run *run, uint32_t page)
{
	return (item_of(run, page)->mark & PAGE_SOURCE) >> PAGE_SOURCE_SHIFT;
}

/* Whether it may be ordered now, apart from time and budget. */
static inline bool is_free(const struct refresh_run *run, uint32_t page)
{
	unsigned mark = item_of(run, page)->mark, state = mark & PAGE_STATE;

	return !(mark & PAGE_OUT) && (state == PAGE_NEW || state == PAGE_LIVING);
}

/* When a tick begins. */
static inline double run_time(const struct refresh_run *run, double tick)
{
	return run->base + run->tick * tick;
}

/* run.c: time passes; it never runs backwards. */
void run_advance(struct refresh_run *run, double now);

/* run_pages.c: the last tick that has begun at a time, and a page becomes due at one; or at one
 * and not before, however much budget is left; or at none. */
uint32_t run_tick(const struct refresh_run *run, double time);
void run_due(struct refresh_run *run, uint32_t page, double time);
void run_pause(struct refresh_run *run, uint32_t page, double time);
void run_unschedule(struct refresh_run *run, uint32_t page);

/* When the policy wants the next look, infinite: never; and the page becomes due then. */
double run_due_time(const struct refresh_run *run, uint32_t page);
void run_schedule(struct refresh_run *run, uint32_t page);

/* Looks per unit of time that the policy wants; of what is announced, the share. */
double run_wanted(const struct refresh_run *run, uint32_t page);

/* What the market knows of a page; pages enter when they live and leave when they are dead. A page
 * leaves before its state, rate or weight changes. Entering: 0 or ERR_NOMEM. */
struct market_page run_traded(const struct refresh_run *run, uint32_t page);
int run_enter_market(struct refresh_run *run, uint32_t page);
void run_leave_market(struct refresh_run *run, uint32_t page);
void run_set_state(struct refresh_run *run, uint32_t page, unsigned state);

/* The page's rate: of changes that its source does not announce; of all if it is PAGE_TOLD, which
 * is decided here. It is not on the market. */
void run_set_rate(struct refresh_run *run, uint32_t page, double rate);

/* run_groups.c: a page joins a group; 0 or ERR_NOMEM. */
int groups_join(struct refresh_run *run, uint32_t page, uint32_t group) SP_MUST_CHECK;

/* What a look found in a group; since: the time of the look before. */
void groups_learn(struct refresh_run *run, const struct refresh_order *order,
	const struct refresh_look *look, double since);

/* The policy `sample`: what to look at; false when all pages of this cycle have been. */
bool groups_sample(struct refresh_run *run, struct refresh_order *ret_order);

/* The time at which the present cycle ends. */
double groups_cycle_end(const struct refresh_run *run);

#endif
