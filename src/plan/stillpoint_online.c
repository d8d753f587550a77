/*
 * stillpoint-online: two rules. On a small site every page counts, and what matters is what is
 * still hidden: online_small.c weighs single pages and what they lead to. On a large one pages can
 * be counted rather than weighed: online_large.c is finer where many are known, and cheaper. A site
 * is large when that was told or when so many pages are known; then the waiting pages change over,
 * once. They also do when a small site has next to nothing left to find, which online_large.c is
 * then told in place of the size that was given.
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/lists.h"
#include "plan/online.h"
#include "plan/order.h"

enum { LARGE = 3200 };

/* The states are made when they are needed. */
struct online {
	const struct visit_order *rule; /* NULL: no page yet */
	void *state;
	bool all_found;
};

static int set_rule(struct online *o, const struct visit_order *rule)
{
	void *state = calloc(1, rule->state_size);

	if (!state)
		return ERR_NOMEM;
	o->rule = rule;
	o->state = state;
	return 0;
}

static void drop_rule(struct online *o)
{
	if (o->rule)
		o->rule->close(o->state);
	free(o->state);
	*o = (struct online){0};
}

/* All waiting pages under the new rule. Without memory for that they stay where they are. */
static void change_over(struct online *o, const struct plan_site *site)
{
	struct u32_vec waiting = {0};
	struct online large = {0};
	int rc = online_small_waiting(o->state, &waiting);

	if (rc == 0)
		rc = set_rule(&large, &online_large);
	if (rc == 0)
		rc = large.rule->add(large.state, site, waiting.ptr, waiting.len);
	u32_vec_release(&waiting);
	if (rc) {
		drop_rule(&large);
		return;
	}
	large.all_found = online_small_is_settled(o->state);
	drop_rule(o);
	*o = large;
}

static int add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	struct online *o = state;
	bool large = site->growth.given > LARGE || site->known > LARGE;
	int rc = 0;

	if (!o->rule)
		rc = set_rule(o, large ? &online_large : &online_small);
	if (rc == 0)
		rc = o->rule->add(o->state, site, pages, n);
	if (rc == 0 && large && o->rule == &online_small)
		change_over(o, site);
	return rc;
}

static int take(void *state, const struct plan_site *site, struct visit_choice *ret_choice)
{
	struct online *o = state;
	struct plan_site as_found = *site;

	if (!o->rule)
		return ERR_END;
	if (o->rule == &online_small && online_small_is_settled(o->state))
		change_over(o, site);
	if (!o->all_found)
		return o->rule->take(o->state, site, ret_choice);
	as_found.growth.given = site->known;
	return o->rule->take(o->state, &as_found, ret_choice);
}

static bool take_out(void *state, const struct plan_site *site, uint32_t page)
{
	struct online *o = state;

	return o->rule && o->rule->remove(o->state, site, page);
}

static void close(void *state)
{
	drop_rule(state);
}

const struct visit_order visit_stillpoint_online = {.state_size = sizeof(struct online),
	.add = add,
	.take = take,
	.remove = take_out,
	.close = close,
	.weighs = true};
