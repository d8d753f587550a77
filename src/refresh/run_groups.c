/*
 * Pages that change together.
 *
 * sample (Tan et al., algorithms 1 and 2): in each cycle pages are drawn at random, each at most
 * once. A sample that has changed, or for which chance decides so, sends us to the other pages of
 * its group and of the groups above, before the next sample is drawn. The random order is a
 * permutation of the page numbers that is computed, not stored: four rounds of a Feistel network
 * over a power of two, numbers beyond the last page left out.
 *
 * hybrid: the chance that a page has changed by its own rate, times how much more than expected has
 * changed in its group lately. What is due without activity is kept in the wheel; a change that is
 * found lets a few more members of the group be looked at now, if the product is high enough. If
 * these have changed too, they do the same.
 */
#include <math.h>

#include "refresh/run_state.h"

enum {
	PROMOTED = 8, /* members looked at again after a change */
	ROUNDS = 4,
};

/* Changes that are assumed of a group without looks. */
#define PRIOR_CHANGES 0.5

static int reserve(struct refresh_run *run, uint32_t group)
{
	int rc = 0;

	while (rc == 0 && run->groups.len <= group)
		rc = group_vec_push(&run->groups, (struct group){.member = UINT32_MAX});
	return rc;
}

int refresh_group(struct refresh_run *run, uint32_t group, uint32_t parent)
{
	int rc = reserve(run, group > parent ? group : parent);

	if (rc == 0)
		run->groups.ptr[group].parent = parent;
	return rc;
}

int groups_join(struct refresh_run *run, uint32_t page, uint32_t group)
{
	int rc = reserve(run, group);
	struct watched *w = &run->pages.ptr[page];
	struct group *g;

	if (rc)
		return rc;
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

/* Sends us to a group and those above it, each once in a cycle. */
static void send(struct refresh_run *run, uint32_t group)
{
	for (unsigned up = 0; group && up <= run->params.depth; up++) {
		struct group *g = &run->groups.ptr[group];

		if (g->walked == run->cycle + 1)
			break;
		g->walked = (uint32_t)run->cycle + 1;
		if (errand_vec_push(&run->errands, (struct errand){group, g->size}))
			return; /* without memory there is one errand less */
		group = g->parent;
	}
}

static bool triggers(struct refresh_run *run, const struct watched *w, bool changed)
{
	switch (run->params.phi) {
	case REFRESH_STATUS:
		return changed;
	case REFRESH_HISTORY:
		return rng_double(&run->rng) < -expm1(-(double)w->rate * run->params.cycle);
	case REFRESH_RANK:
		return rng_double(&run->rng) * run->weight_max < (double)w->weight;
	default:
		return false;
	}
}

void groups_learn(struct refresh_run *run, const struct refresh_order *order,
	const struct refresh_look *look, double since)
{
	const struct watched *w = &run->pages.ptr[order->page];
	bool changed = look->outcome == REFRESH_CHANGED || look->outcome == REFRESH_GONE;
	struct group *g;

	if (!run->params.policy->groups || w->group == REFRESH_NO_GROUP || isinf(since))
		return;
	g = &run->groups.ptr[w->group];
	if (run->params.policy == &REFRESH_SAMPLE) {
		if (order->purpose == REFRESH_SAMPLED && triggers(run, w, changed))
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

double groups_cycle_end(const struct refresh_run *run)
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

bool groups_sample(struct refresh_run *run, struct refresh_order *ret_order)
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
