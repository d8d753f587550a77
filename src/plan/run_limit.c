/* A capture with a limit of downloads: what is visited, and when the visits end for it. */
#include <math.h>

#include "plan/aim.h"
#include "plan/run.h"

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
