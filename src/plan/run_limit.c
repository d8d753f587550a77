/* A capture with a limit of downloads: what is visited, and when the visits end for it. */
#include <math.h>

#include "plan/aim.h"
#include "plan/run.h"

bool run_is_short(const struct plan_run *run)
{
	double size = fmax(run->site.size, run->site.known);

	return run->budget.left <
	       2 * (size - (double)run->progress.visited) + (double)run->progress.visited;
}

/* Takes the pages that were withdrawn, or not chosen, out of the batch. */
static void drop_given_up(struct plan_run *run)
{
	struct u32_vec *b = &run->batch;
	size_t kept = 0;

	for (size_t i = 0; i < b->len; i++)
		if (run->pages.ptr[b->ptr[i]].state == WAITING)
			b->ptr[kept++] = b->ptr[i];
	b->len = kept;
}

static void keep_chosen(struct plan_run *run, const uint32_t *chosen, size_t n)
{
	const struct u32_vec *b = &run->batch;

	for (size_t i = 0; i < b->len; i++)
		run->pages.ptr[b->ptr[i]].state = GIVEN_UP;
	for (size_t i = 0; i < n; i++)
		run->pages.ptr[chosen[i]].state = WAITING;
	run->progress.failed += b->len - n;
	run->progress.unasked += b->len - n;
	drop_given_up(run);
}

void run_choose_pages(struct plan_run *run)
{
	struct plan_params params = run->params;
	size_t n = run->batch.len, legs = has_late_leg(run) ? 2 : 1;
	struct plan_share share = {0};
	struct u32_vec copy = {0};

	if (run->budget.chosen || !params.strategy->offline || params.downloads == 0 ||
		params.downloads >= legs * n)
		return;
	run->budget.chosen = true;
	drop_given_up(run);
	n = run->batch.len;
	if (legs == 1)
		params.aim = PLAN_COMPLETE;
	if (u32_vec_add(&copy, run->batch.ptr, n) ||
		aim_choose(&params, &run->site, legs == 2, copy.ptr, n, &share)) {
		run->error = ERR_NOMEM;
	} else {
		keep_chosen(run, copy.ptr, share.visits);
		run->site.revisits = share.revisits;
	}
	u32_vec_release(&copy);
}

void run_limit_revisits(struct plan_run *run)
{
	run->budget.arranged = isfinite(run->budget.left);
	if (run->budget.arranged)
		run->site.revisits = run->budget.left >= 1 ? (size_t)run->budget.left : 1;
}

/* Whether the aim wants the downloads that are left for revisits. */
static bool wants_revisits(struct plan_run *run, double now)
{
	size_t out = run->progress.in_flight, visited = run->visited.len;
	double left = run->budget.left, moved;

	if (run->budget.chosen)
		return left < (double)run->site.revisits && left <= (double)(visited + out);
	if (left > (double)(visited + out + 1))
		return false;
	moved = run->budget.at_left - left + (double)(visited + out) - (double)run->budget.at_visit;
	if (run->budget.at_visit > 0 && 2 * moved < run->budget.slack)
		return false;
	run->budget.at_left = left;
	run->budget.at_visit = visited + out;
	run->progress.wanted =
		aim_wanted(run->params.aim, &run->site, run->visited.ptr, visited, now);
	run->budget.slack =
		left - (double)(out + run->progress.wanted + (run->params.aim == PLAN_SHARP));
	return visited + out > 0 && run->budget.slack <= 0;
}

/* A run that was restored from a log has arranged its revisits without the limit. */
static void arrange_anew(struct plan_run *run, double now)
{
	struct waiting_line *l = &run->revisits;
	size_t n = l->pages.len - l->head;

	if (run->budget.arranged)
		return;
	run->site.barrier = now;
	run_limit_revisits(run);
	if ((double)n > run->budget.left &&
		run->params.strategy->revisits->arrange(&run->site, l->pages.ptr + l->head, n))
		run->error = ERR_NOMEM;
}

bool plan_budget(struct plan_run *run, double now, double downloads)
{
	run->budget.left = downloads > 0 ? downloads : 0;
	if (run->leg == PLAN_REVISIT)
		arrange_anew(run, now);
	return run->leg == PLAN_VISIT && !run->visits_ended && has_late_leg(run) &&
	       run->params.aim != PLAN_COMPLETE && wants_revisits(run, now);
}
