/*
 * What a strategy is made of: an order of visits and an order of revisits. They know page numbers
 * and survival functions, nothing of URLs, sockets, legs, failures or clocks; plan_run (run.c) does
 * the rest. A new strategy is a row in order.c and, if its orders are new, one short file.
 *
 * Call order of a visit order: its state is zeroed; then any sequence of add and take; then close.
 */
#ifndef PLAN_ORDER_H
#define PLAN_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lists.h"
#include "plan/size.h"
#include "plan/survival.h"

struct group_edge;

/* What a visit leaves behind for the revisit; ordered, state and attempts are plan_run's
 * own. */
struct plan_page {
	double visit_end;
	float key; /* as given by the visit order */
	bool hopeless : 1;
	bool ordered : 1;  /* at least once */
	bool put_off : 1;  /* from the visits to the late leg */
	bool deferred : 1; /* behind the other visits */
	bool withdrawn : 1;
	bool found_late : 1; /* when the visits had ended */
	bool in_order : 1;   /* it was given to the order of visits */
	unsigned char state;
	unsigned char attempts; /* in this leg */
	unsigned char users;    /* pages that it is a requisite of, as far as was counted */
};

/* What orders see of a capture; survival, weight and page are indexed by page. */
struct plan_site {
	const struct survival *survival;
	const float *weight;
	const struct plan_page *page;
	uint32_t known;   /* pages found so far */
	uint32_t visited; /* visits ordered so far */
	uint32_t quiet;   /* visits in a row, up to now, whose links were all known */
	uint32_t size;    /* estimated number of pages, never below known */
	struct size_guess growth;
	double delay;   /* between two downloads; may be learned, so keep no key made with it */
	double barrier; /* when the revisits begin, once they do */
	double tau;
	bool fast;
	size_t revisits;                /* no more than so many will be carried out; 0: no limit */
	size_t pages;                   /* numbers that the arrays by page have */
	const struct group_edge *edges; /* pages and their requisites, in any order */
	size_t edge_count;              /* 0: there are no groups */
};

/* From the end of its visit to the barrier. */
static inline double plan_age(const struct plan_site *site, uint32_t page)
{
	double age = site->barrier - site->page[page].visit_end;

	return age > 0 ? age : 0;
}

/* Expected intervals of a pyramid: the j-th from the inside is 2 j delays long. */
static inline double plan_pyramid(const struct plan_site *site, size_t j)
{
	return 2 * site->delay * (double)j;
}

struct visit_choice {
	uint32_t page;
	float key; /* for the revisit order, if it wants one (SOLAR) */
	bool hopeless;
};

struct visit_order {
	size_t state_size;

	/*
	 * A batch of newly found pages, in the order of their links. 0, or ERR_NOMEM when only some
	 * or none of them could be taken.
	 */
	int (*add)(void *state, const struct plan_site *site, const uint32_t *pages, size_t n);

	/*
	 * Takes the next page to visit: 0, ERR_END when none is left, or ERR_NOMEM when there is no
	 * memory to plan; asked again, the order goes on without a plan.
	 */
	int (*take)(void *state, const struct plan_site *site, struct visit_choice *ret_choice);

	/*
	 * Takes a page out again, wherever it is, by the survival function and weight with which it
	 * was added; false when it is not there. It is added anew with others. NULL: the order does
	 * not depend on them, or is planned already. Cost: O(pages) at most.
	 */
	bool (*remove)(void *state, const struct plan_site *site, uint32_t page);

	void (*close)(void *state);

	bool weighs; /* maximises weight: groups count for it by the weights of their pages */
};

struct revisit_order {
	/*
	 * Brings page numbers, given in the order of their visits, into the order of revisits. 0,
	 * or ERR_NOMEM and they are as they were.
	 */
	int (*arrange)(const struct plan_site *site, uint32_t *pages, size_t n);
};

/* Visits (each file cites its paper). */
extern const struct visit_order visit_bfs, visit_dfs, visit_hottest_first, visit_hottest_last;
extern const struct visit_order visit_sharc_offline, visit_sharc_online;
extern const struct visit_order visit_selective_offline, visit_selective_online;
extern const struct visit_order visit_threshold;
extern const struct visit_order visit_solar_offline, visit_solar_online;
extern const struct visit_order visit_stillpoint_offline, visit_stillpoint_online;

/* Revisits. */
extern const struct revisit_order revisit_fifo, revisit_lifo, revisit_hottest_first;
extern const struct revisit_order revisit_solar, revisit_stillpoint;

/*
 * Visits that are planned as a whole, before the first: what all offline strategies share. Pages
 * found after the plan was made are visited behind it, in the order in which they were found; and
 * so are all when there is no memory for a plan.
 */

/*
 * Pyramids: schedules in which page after page lies around the still point, each visit-revisit
 * interval inside the next. Visited from the outside in, revisited from the inside out.
 */

/*
 * Turns pages in order of heat, some marked hopeless, into the order of visits: the hopeless on
 * the longest intervals, the hottest of them outermost; inside the hopeful, the hottest innermost.
 * 0 or ERR_NOMEM.
 */
int pyramid_lay(struct visit_choice *by_heat, size_t n);

/*
 * Brings n > 0 choices, given in the order of discovery with only their page set, into the order of
 * visits and says who is hopeless. 0 or ERR_NOMEM.
 */
typedef int planned_fn(const struct plan_site *site, struct visit_choice *choices, size_t n);

struct planned {
	struct u32_vec found; /* not in the plan, in the order of their discovery */
	size_t next_found;
	struct visit_choice *choices; /* the plan */
	size_t len, next;
	bool made;
};

int planned_add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n);
int planned_take(struct planned *p, const struct plan_site *site, planned_fn *plan,
	struct visit_choice *ret_choice);
void planned_close(void *state);

/* Defines the visit order NAME that is planned by FN. */
#define PLANNED_ORDER(NAME, FN)                                                             \
	static int NAME##_take(                                                             \
		void *state, const struct plan_site *site, struct visit_choice *ret_choice) \
	{                                                                                   \
		return planned_take(state, site, FN, ret_choice);                           \
	}                                                                                   \
	const struct visit_order NAME = {.state_size = sizeof(struct planned),              \
		.add = planned_add,                                                         \
		.take = NAME##_take,                                                        \
		.close = planned_close}

/* Sorts fresh choices from hot to cold; equal rates keep their order. 0 or ERR_NOMEM. */
int planned_sort_by_heat(const struct plan_site *site, struct visit_choice *choices, size_t n);

#endif
