/*
 * SOLAR: every page gets a confidence length, the time during which it stays as it is with
 * probability tau (eq. 1), in whole delays; pages are scheduled so that as many as possible have
 * a visit-revisit interval no longer than that. Slots are those of Definition 4.1: visits at 0, -1,
 * ..., revisits at 0, 1, ...; v below is the distance of the visit from slot 0.
 *
 * Offline (Algorithm 1): from the shortest length on, each page takes the smallest free revisit
 * slot r > 0 whose partner v = length - r is free too; without one it is hopeless. Then the slots
 * are shrunk (section 4.2), each side on its own, and the hopeless put around, the longest length
 * first.
 *
 * Online (Algorithm 2): the visit slot runs from -(n-1) on; the page with the longest length whose
 * revisit slot r = length - v is free and positive is next, or else the shortest, as hopeless.
 * The revisits shrink by length, the hopeless follow in the reverse order of their visits. Lengths
 * are kept in time and become delays when they are looked at; slots stay as they were taken, also
 * when the delay is learned on the way.
 */
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "plan/heat.h"
#include "plan/order.h"
#include "plan/ranking.h"

/* Lengths that are whole up to rounding count as whole. */
static const double WHOLE = 1e-9;

static double confidence(const struct plan_site *site, uint32_t page)
{
	return survival_confidence(site->survival[page], site->tau);
}

static double whole_delays(const struct plan_site *site, double time)
{
	return floor(time / site->delay * (1 + WHOLE));
}

/*
 * Which slots are taken, by distance from 0. next[i] leads towards the nearest free slot at or
 * above i (path-halving union-find). Slots beyond limit are not tracked: only pages that outlive
 * the capture by far get there, and where two of them meet, shrinking sets them side by side.
 */
struct slots {
	uint32_t *next;
	uint32_t limit;
};

static int slots_init(struct slots *s, size_t limit)
{
	if (limit < 1 || limit > UINT32_MAX - 2)
		return ERR_NOMEM;
	s->next = malloc((limit + 2) * sizeof *s->next);
	if (!s->next)
		return ERR_NOMEM;
	s->limit = (uint32_t)limit;
	for (size_t i = 0; i <= limit + 1; i++)
		s->next[i] = (uint32_t)i;
	return 0;
}

static uint32_t slots_free_from(struct slots *s, uint32_t i)
{
	while (s->next[i] != i) {
		s->next[i] = s->next[s->next[i]];
		i = s->next[i];
	}
	return i;
}

static void slots_occupy(struct slots *s, double slot)
{
	if (slot <= s->limit)
		s->next[(uint32_t)slot] = (uint32_t)slot + 1;
}

/* The slots of one hopeful page, or of none. */
struct interval {
	double v, r;
};

/*
 * Visit slots are kept mirrored, so that the nearest free slot at or *below* v can be found: when v
 * is taken, no revisit slot will do before the one that goes with that.
 */
static double free_at_or_below(struct slots *mirrored, double v)
{
	if (v >= mirrored->limit)
		return v;
	return (double)mirrored->limit - slots_free_from(mirrored, mirrored->limit - (uint32_t)v);
}

/* Smallest free r > 0 with a free v = length - r >= 0. */
static bool find_interval(
	struct slots *mirrored, struct slots *revisits, double length, struct interval *ret)
{
	uint32_t r = slots_free_from(revisits, 1);

	while (r <= length && r < revisits->limit) {
		double v = free_at_or_below(mirrored, length - r);

		if (v == length - r) {
			*ret = (struct interval){.v = v, .r = r};
			return true;
		}
		if (v < 0)
			return false;
		r = slots_free_from(revisits, (uint32_t)(length - v));
	}
	return false;
}

/*
 * Algorithm 1 over pages from hot to cold, which is from the shortest length to the longest. Fills
 * outwards with the distance of each page's visit slot, infinite for the hopeless.
 */
static int solar_intervals(
	const struct plan_site *site, struct visit_choice *by_heat, size_t n, double *outwards)
{
	struct slots mirrored = {0}, revisits = {0};
	size_t limit = 2 * n + 2;
	int rc = slots_init(&mirrored, limit);

	if (!rc)
		rc = slots_init(&revisits, limit);
	for (size_t i = 0; !rc && i < n; i++) {
		double length = whole_delays(site, confidence(site, by_heat[i].page));
		struct interval slot = {0};

		if (i > 0)
			by_heat[i].hopeless = !find_interval(&mirrored, &revisits, length, &slot);
		outwards[i] = by_heat[i].hopeless ? INFINITY : slot.v;
		if (by_heat[i].hopeless)
			continue;
		if (slot.v < mirrored.limit)
			slots_occupy(&mirrored, mirrored.limit - slot.v);
		slots_occupy(&revisits, slot.r);
		by_heat[i].key = (float)slot.r;
	}
	free(mirrored.next);
	free(revisits.next);
	return rc;
}

/*
 * Visits: the hopeless first, the hottest of them (the shortest length) outermost; then the
 * hopeful from the largest v down, of which shrinking keeps the order.
 */
static int solar_visits(struct visit_choice *choices, size_t n, const double *outwards)
{
	uint32_t *order = malloc((n ? n : 1) * sizeof *order);
	struct visit_choice *sorted = NULL;
	int rc = order ? 0 : ERR_NOMEM;

	for (size_t i = 0; !rc && i < n; i++)
		order[i] = (uint32_t)i;
	if (!rc)
		rc = heat_sort_by(outwards, order, n);
	if (!rc && !(sorted = malloc((n ? n : 1) * sizeof *sorted)))
		rc = ERR_NOMEM;
	for (size_t i = 0; !rc && i < n; i++)
		sorted[i] = choices[order[i]];
	for (size_t i = 0; !rc && i < n; i++)
		choices[i] = sorted[i];
	free(order);
	free(sorted);
	return rc;
}

static int solar_offline(const struct plan_site *site, struct visit_choice *choices, size_t n)
{
	double *outwards;
	int rc = planned_sort_by_heat(site, choices, n);

	if (rc)
		return rc;
	outwards = calloc(n ? n : 1, sizeof *outwards);
	rc = outwards ? solar_intervals(site, choices, n, outwards) : ERR_NOMEM;
	if (!rc)
		rc = solar_visits(choices, n, outwards);
	free(outwards);
	return rc;
}

PLANNED_ORDER(visit_solar_offline, solar_offline);

struct solar_online {
	struct ranking longest_first;
	unsigned char *taken; /* revisit slots; those from limit on are not kept */
	size_t limit;
	bool short_of_memory;
};

static int online_add(void *state, const struct plan_site *site, const uint32_t *pages, size_t n)
{
	struct solar_online *s = state;
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = ranking_insert(&s->longest_first, confidence(site, pages[i]), pages[i]);
	return rc;
}

/* Slots that are kept, whatever size the site is said to have. */
enum { SLOTS_MAX = 1 << 26 };

static int grow_taken(struct solar_online *s, size_t limit)
{
	unsigned char *taken;

	if (limit > SLOTS_MAX)
		limit = SLOTS_MAX;
	if (limit <= s->limit)
		return 0;
	limit = limit > 2 * s->limit ? limit : 2 * s->limit;
	taken = realloc(s->taken, limit);
	if (!taken)
		return ERR_NOMEM;
	for (size_t i = s->limit; i < limit; i++)
		taken[i] = 0;
	s->taken = taken;
	s->limit = limit;
	return 0;
}

/* The slots of the visit that is being decided. */
struct question {
	const struct solar_online *solar;
	const struct plan_site *site;
	double v, r;
};

/* Lengths only fall from here on: the search also ends where no revisit slot is left at all. */
static bool has_slot(const struct ranked_page *entry, void *context)
{
	struct question *q = context;

	q->r = whole_delays(q->site, entry->key) - q->v;
	return q->r <= 0 || q->r >= (double)q->solar->limit || !q->solar->taken[(size_t)q->r];
}

static int online_take(void *state, const struct plan_site *site, struct visit_choice *ret_choice)
{
	struct solar_online *s = state;
	struct question q = {.solar = s, .site = site};
	struct ranked_page page;
	size_t rank;

	if (grow_taken(s, 4 * (size_t)site->size) && !s->short_of_memory) {
		s->short_of_memory = true;
		return ERR_NOMEM;
	}
	if (s->longest_first.len == 0)
		return ERR_END;
	if (site->size > site->visited)
		q.v = (double)(site->size - 1 - site->visited);
	rank = ranking_find(&s->longest_first, has_slot, &q);
	ret_choice->hopeless = rank == s->longest_first.len || q.r <= 0;
	if (ret_choice->hopeless)
		rank = s->longest_first.len - 1;
	else if (q.r < (double)s->limit)
		s->taken[(size_t)q.r] = 1;
	page = ranking_take(&s->longest_first, rank);
	ret_choice->page = page.page;
	ret_choice->key = (float)page.key;
	return 0;
}

static bool online_remove(void *state, const struct plan_site *site, uint32_t page)
{
	struct solar_online *s = state;

	(void)site;
	return ranking_remove(&s->longest_first, page);
}

static void online_close(void *state)
{
	struct solar_online *s = state;

	ranking_release(&s->longest_first);
	free(s->taken);
}

const struct visit_order visit_solar_online = {.state_size = sizeof(struct solar_online),
	.add = online_add,
	.take = online_take,
	.remove = online_remove,
	.close = online_close};
