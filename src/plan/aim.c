/*
 * Limits (docs/planning.md). With D downloads and r revisits, min(n, D - r) pages are visited. The
 * best r revisits are an assignment of pages to the r shortest intervals: A(r) pages expected
 * sharp. A is concave, since intervals are substitutes for each other and the next one is longer;
 * so is what PLAN_BALANCED maximises, and its best r is found by halving.
 */
#include "plan/aim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "plan/heat.h"
#include "plan/select.h"

const char *const PLAN_AIMS[] = {
	[PLAN_BALANCED] = "balanced", [PLAN_SHARP] = "sharp", [PLAN_COMPLETE] = "complete", NULL};

/*
 * With PLAN_BALANCED a sharp page counts as much as a captured one and this besides: so a revisit
 * is worth a visit when the page is sharp with a probability of one half.
 */
static const double SHARP_WORTH = 2;

/* A page less likely than this to be sharp leaves its revisit to others. */
static const double WANTED[] = {[PLAN_BALANCED] = 0.5, [PLAN_SHARP] = 0.1};

/* Up to so many pages the best number of revisits is searched with exact selections. */
enum { EXACT_SEARCH_MAX = 200 };

size_t aim_wanted(enum plan_aim aim, const struct plan_site *site, const uint32_t *visited,
	size_t n, double now)
{
	size_t wanted = 0;

	if (aim == PLAN_COMPLETE)
		return 0;
	for (size_t i = 0; i < n; i++) {
		double age = now - site->page[visited[i]].visit_end;

		wanted += !site->page[visited[i]].withdrawn &&
			  survival_at(site->survival[visited[i]], age > 0 ? 2 * age : 0) >=
				  WANTED[aim];
	}
	return wanted;
}

/* A share under construction. */
struct sharing {
	const struct plan_budgeting *b;
	uint32_t *revisited; /* interval -> page */
	uint32_t *others;    /* by weight, from the largest down */
	bool *is_revisited;
	struct plan_share share;
};

static void sharing_release(struct sharing *s)
{
	free(s->revisited);
	free(s->others);
	free(s->is_revisited);
}

static double weight_of(const struct plan_budgeting *b, uint32_t page)
{
	return b->weight ? (double)b->weight[page] : 1;
}

static int sharing_init(struct sharing *s, const struct plan_budgeting *b)
{
	double *key = malloc((b->n + 1) * sizeof *key);
	int rc = key ? 0 : ERR_NOMEM;

	*s = (struct sharing){
		.b = b,
		.revisited = malloc((b->n + 1) * sizeof *s->revisited),
		.others = malloc((b->n + 1) * sizeof *s->others),
		.is_revisited = malloc((b->n + 1) * sizeof *s->is_revisited),
	};
	if (!s->revisited || !s->others || !s->is_revisited)
		rc = ERR_NOMEM;
	for (uint32_t i = 0; rc == 0 && i < b->n; i++) {
		s->others[i] = i;
		key[i] = weight_of(b, i);
	}
	if (rc == 0 && b->weight)
		rc = heat_sort_by(key, s->others, b->n);
	free(key);
	return rc;
}

static size_t visits_beside(const struct plan_budgeting *b, size_t revisits)
{
	size_t left = b->downloads - revisits;

	return left < b->n ? left : b->n;
}

/* The best r revisits; the heaviest of the other pages are visited besides. */
static int share_out(struct sharing *s, size_t revisits, bool fast, bool bound)
{
	const struct plan_budgeting *b = s->b;
	struct plan_share share = {.visits = visits_beside(b, revisits), .revisits = revisits};
	struct select_problem p = {
		.assign = {.n = b->n,
			.survival = b->survival,
			.weight = b->weight,
			.step = 2 * b->delay},
		.slots = revisits,
		.fast = fast,
	};
	size_t singles = share.visits - revisits;
	int rc = select_pages(&p, s->revisited, &share.sharp, bound ? &share.bound : NULL);

	if (rc)
		return rc;
	memset(s->is_revisited, 0, b->n * sizeof *s->is_revisited);
	for (size_t j = 0; j < revisits; j++) {
		s->is_revisited[s->revisited[j]] = true;
		share.captured += weight_of(b, s->revisited[j]);
	}
	for (size_t i = 0; singles > 0 && i < b->n; i++) {
		if (s->is_revisited[s->others[i]])
			continue;
		share.captured += weight_of(b, s->others[i]);
		singles--;
	}
	s->share = share;
	return 0;
}

static int worth_of(struct sharing *s, size_t revisits, double *ret_worth)
{
	int rc = share_out(s, revisits, s->b->fast || s->b->n > EXACT_SEARCH_MAX, false);

	*ret_worth = s->share.captured + SHARP_WORTH * s->share.sharp;
	return rc;
}

/* The best number of revisits between two. */
static int search(struct sharing *s, size_t low, size_t high, size_t *ret)
{
	int rc = 0;

	while (rc == 0 && low < high) {
		size_t middle = low + (high - low) / 2;
		double here = 0, next = 0;

		rc = worth_of(s, middle, &here);
		if (rc == 0)
			rc = worth_of(s, middle + 1, &next);
		if (next > here)
			low = middle + 1;
		else
			high = middle;
	}
	*ret = low;
	return rc;
}

static int count_revisits(struct sharing *s, size_t *ret)
{
	const struct plan_budgeting *b = s->b;
	size_t high = b->downloads / 2 < b->n ? b->downloads / 2 : b->n;
	size_t low = b->downloads > b->n ? b->downloads - b->n : 0;

	low = low < high ? low : high;
	if (b->shared_slot && low == 0 && high > 0)
		low = 1;
	if (b->aim == PLAN_BALANCED)
		return search(s, low, high, ret);
	*ret = b->aim == PLAN_SHARP ? high : low;
	return 0;
}

/* Visits in their order: first those without a revisit, then from the longest interval inwards. */
static void list_visits(const struct sharing *s, uint32_t *pages)
{
	size_t singles = s->share.visits - s->share.revisits, to = 0;

	for (size_t i = 0; to < singles; i++)
		if (!s->is_revisited[s->others[i]])
			pages[to++] = s->others[i];
	for (size_t j = s->share.revisits; j-- > 0;)
		pages[to++] = s->revisited[j];
}

int plan_share(const struct plan_budgeting *b, uint32_t *pages, struct plan_share *ret_share)
{
	struct sharing s;
	size_t revisits = 0;
	int rc = sharing_init(&s, b);

	if (rc == 0)
		rc = count_revisits(&s, &revisits);
	if (rc == 0)
		rc = share_out(&s, revisits, b->fast, true);
	if (rc == 0) {
		*ret_share = s.share;
		if (pages)
			list_visits(&s, pages);
	}
	sharing_release(&s);
	return rc;
}

int aim_choose(const struct plan_params *params, const struct plan_site *site, bool twice,
	uint32_t *pages, size_t n, struct plan_share *ret_share)
{
	struct survival *survival = malloc((n + 1) * sizeof *survival);
	float *weight = malloc((n + 1) * sizeof *weight);
	uint32_t *chosen = calloc(n + 1, sizeof *chosen);
	struct plan_budgeting b = {
		.survival = survival,
		.weight = weight,
		.n = n,
		.delay = site->delay,
		.downloads = params->downloads,
		.aim = params->aim,
		.shared_slot = twice && params->strategy->shared_slot,
		.fast = params->fast,
	};
	int rc = survival && weight && chosen ? 0 : ERR_NOMEM;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		survival[i] = site->survival[pages[i]];
		weight[i] = site->weight[pages[i]];
	}
	if (rc == 0)
		rc = plan_share(&b, chosen, ret_share);
	for (size_t i = 0; rc == 0 && i < ret_share->visits; i++)
		chosen[i] = pages[chosen[i]];
	for (size_t i = 0; rc == 0 && i < ret_share->visits; i++)
		pages[i] = chosen[i];
	free(survival);
	free(weight);
	free(chosen);
	return rc;
}
