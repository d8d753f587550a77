/* A capture with a limit of downloads: what is visited, and when the visits end for it. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "plan/heat.h"
#include "plan/order.h"
#include "plan/plan.h"
#include "plan/run.h"
#include "plan/select.h"

/* What a limited capture is spent on, for plan_run: see enum plan_aim. */

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

/*
 * How many of the visited pages the aim would revisit if the revisits began now, at the pace of the
 * visits. With PLAN_COMPLETE none: it never ends the visits. O(n).
 */
static size_t aim_wanted(enum plan_aim aim, const struct plan_site *site, const uint32_t *visited,
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

	TRY(select_pages(&p, s->revisited, &share.sharp, bound ? &share.bound : NULL));
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
	TRY(share_out(s, revisits, s->b->fast || s->b->n > EXACT_SEARCH_MAX, false));
	*ret_worth = s->share.captured + SHARP_WORTH * s->share.sharp;
	return 0;
}

/* The best number of revisits between two. */
static int search(struct sharing *s, size_t low, size_t high, size_t *ret)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		double here = 0, next = 0;

		TRY(worth_of(s, middle, &here));
		TRY(worth_of(s, middle + 1, &next));
		if (next > here)
			low = middle + 1;
		else
			high = middle;
	}
	*ret = low;
	return 0;
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

/*
 * Chooses among pages of which all are known: the first ret_share->visits of the array are those to
 * be visited. twice: there are revisits, else downloads < n. 0 or ERR_NOMEM.
 */
static int aim_choose(const struct plan_params *params, const struct plan_site *site, bool twice,
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

bool run_is_short(const struct plan_run *run)
{
	double size = plan_progress(run).size, visited = (double)run->progress.visited;

	return run->budget.left < 2 * (size - visited) + visited;
}

/* Takes the pages that were withdrawn, or not chosen, out of the batch. */
static void drop_given_up(const struct plan_run *run, struct u32_vec *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->len; i++)
		if (run->pages.ptr[b->ptr[i]].state == WAITING)
			b->ptr[kept++] = b->ptr[i];
	b->len = kept;
}

static void keep_chosen(struct plan_run *run, struct u32_vec *b, const uint32_t *chosen, size_t n)
{
	for (size_t i = 0; i < b->len; i++)
		run->pages.ptr[b->ptr[i]].state = GIVEN_UP;
	for (size_t i = 0; i < n; i++)
		run->pages.ptr[chosen[i]].state = WAITING;
	run->progress.failed += b->len - n;
	run->progress.unasked += b->len - n;
	drop_given_up(run, b);
}

/* The part of something that belongs to a server with so many of all pages. */
static double part(const struct plan_run *run, double whole, size_t pages, size_t all)
{
	return run->servers.len == 1 || all == 0 ? whole : whole * (double)pages / (double)all;
}

void run_choose_pages(struct plan_run *run, struct run_server *s)
{
	struct plan_params params = run->params;
	size_t n = s->batch.len, legs = has_late_leg(run) ? 2 : 1;
	struct plan_share share = {0};
	struct u32_vec copy = {0};

	if (s->is_chosen || !params.strategy->offline || params.downloads == 0 ||
		params.downloads >= legs * run->progress.known)
		return;
	run->budget.chosen = s->is_chosen = true;
	params.downloads = (size_t)part(run, (double)params.downloads, n, run->progress.known);
	drop_given_up(run, &s->batch);
	n = s->batch.len;
	if (n == 0)
		return;
	if (legs == 1)
		params.aim = PLAN_COMPLETE;
	if (u32_vec_add(&copy, s->batch.ptr, n) ||
		aim_choose(&params, &s->site, legs == 2, copy.ptr, n, &share)) {
		run->error = ERR_NOMEM;
	} else {
		keep_chosen(run, &s->batch, copy.ptr, share.visits);
		s->site.revisits = share.revisits;
	}
	u32_vec_release(&copy);
}

void run_limit_revisits(struct plan_run *run, struct run_server *s)
{
	double left = run->budget.left;

	run->budget.arranged = isfinite(left);
	if (!run->budget.arranged)
		return;
	left = part(run, left, s->visited.len, run->progress.visited);
	s->site.revisits = left >= 1 ? (size_t)left : 1;
}

static size_t count_wanted(struct plan_run *run, double now)
{
	size_t wanted = 0;

	for (size_t i = 0; i < run->servers.len; i++) {
		struct run_server *s = &run->servers.ptr[i];

		run_refresh(run, s);
		wanted +=
			aim_wanted(run->params.aim, &s->site, s->visited.ptr, s->visited.len, now);
	}
	return wanted;
}

static size_t count_chosen(const struct plan_run *run)
{
	size_t count = 0;

	for (size_t i = 0; i < run->servers.len; i++)
		count += run->servers.ptr[i].site.revisits;
	return count;
}

/* Whether the aim wants the downloads that are left for revisits. */
static bool wants_revisits(struct plan_run *run, double now)
{
	size_t out = run->progress.in_flight, visited = run->progress.visited;
	double left = run->budget.left, moved;

	if (run->budget.chosen) {
		run->progress.wanted = count_chosen(run);
		return left < (double)run->progress.wanted && left <= (double)(visited + out);
	}
	if (left > (double)(visited + out + 1))
		return false;
	moved = run->budget.at_left - left + (double)(visited + out) - (double)run->budget.at_visit;
	if (run->budget.at_visit > 0 && 2 * moved < run->budget.slack)
		return false;
	run->budget.at_left = left;
	run->budget.at_visit = visited + out;
	run->progress.wanted = count_wanted(run, now);
	run->budget.slack =
		left - (double)(out + run->progress.wanted + (run->params.aim == PLAN_SHARP));
	return visited + out > 0 && run->budget.slack <= 0;
}

static void arrange_server(struct plan_run *run, struct run_server *s, double now)
{
	struct waiting_line *l = &s->revisits;
	size_t n = l->pages.len - l->head;

	run_refresh(run, s);
	s->site.barrier = now;
	s->site.revisits = (size_t)fmax(1, part(run, run->budget.left, n, run->progress.visited));
	if (n > s->site.revisits &&
		run->params.strategy->revisits->arrange(&s->site, l->pages.ptr + l->head, n))
		run->error = ERR_NOMEM;
}

/* A run that was restored from a log has arranged its revisits without the limit. */
static void arrange_anew(struct plan_run *run, double now)
{
	for (size_t i = 0; !run->budget.arranged && i < run->servers.len; i++)
		arrange_server(run, &run->servers.ptr[i], now);
	run->budget.arranged = true;
}

bool plan_budget(struct plan_run *run, double now, double downloads)
{
	run->budget.left = downloads > 0 ? downloads : 0;
	if (run->leg == PLAN_REVISIT && isfinite(downloads))
		arrange_anew(run, now);
	return run->leg == PLAN_VISIT && !run->visits_ended && has_late_leg(run) &&
	       run->params.aim != PLAN_COMPLETE && wants_revisits(run, now);
}
