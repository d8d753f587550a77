/*
 * Visits that are planned as a whole, before the first: what all offline strategies share. Pages
 * found after the plan was made are visited behind it, in the order in which they were found; and
 * so are all when there is no memory for a plan.
 */
#ifndef PLAN_PLANNED_H
#define PLAN_PLANNED_H

#include "base/lists.h"
#include "plan/order.h"

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
