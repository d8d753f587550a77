/*
 * Hours in which nothing may be downloaded (docs/planning.md). A page that is visited before them
 * and revisited after them had all that time to change. So when the pages visited so far can just
 * be revisited before the hours are over, two ways are compared:
 *
 *   - the visits end here: those pages are revisited at once, and the others are put off;
 *   - the visits go on, and all pages are revisited when they are over, whatever lies in between.
 */
#include <math.h>
#include <stdlib.h>

#include "plan/heat.h"
#include "plan/run.h"

/* Revisits may take a little longer than expected; those that come too late wait for a night. */
static const double MARGIN = 1.05;

double plan_hours_until(const struct plan_hours *h, double open)
{
	if (open <= h->left)
		return open;
	return open + h->closed * (1 + floor((open - h->left) / h->open));
}

/* Weight expected sharp of the pages that were visited, if the visits still take so long. */
static double expect_visited(
	const struct plan_run *run, const struct plan_hours *h, double now, double visits)
{
	size_t later = run->progress.visited;
	double sum = 0;

	for (size_t i = 0; i < run->servers.len; i++) {
		const struct u32_vec *visited = &run->servers.ptr[i].visited;

		for (size_t k = 0; k < visited->len; k++) {
			uint32_t page = visited->ptr[k];
			double behind = (double)(visited->len - 1 - k) * h->pace * (double)later /
					(double)visited->len;
			double length = now - run->pages.ptr[page].visit_end +
					plan_hours_until(h, 2 * visits + behind);

			sum += (double)run->weight.ptr[page] *
			       survival_at(run->survival.ptr[page], fmax(0, length));
		}
	}
	return sum;
}

static bool is_waiting(const struct plan_page *p)
{
	return p->state == WAITING && !p->put_off && !p->found_late;
}

/* The same of the pages that wait: the hottest of them around the barrier. 0 or ERR_NOMEM. */
static int expect_waiting(
	const struct plan_run *run, const struct plan_hours *h, double visits, double *ret_sum)
{
	uint32_t *pages = malloc((run->pages.len + 1) * sizeof *pages);
	size_t n = 0;
	int rc = pages ? 0 : ERR_NOMEM;

	*ret_sum = 0;
	for (uint32_t i = 0; rc == 0 && i < run->pages.len; i++)
		if (is_waiting(&run->pages.ptr[i]))
			pages[n++] = i;
	if (rc == 0)
		rc = heat_sort(run->survival.ptr, pages, n);
	for (size_t k = 0; rc == 0 && k < n; k++) {
		double from = visits * (double)k / (double)n;
		double length =
			plan_hours_until(h, visits + from) - plan_hours_until(h, visits - from);

		*ret_sum += (double)run->weight.ptr[pages[k]] *
			    survival_at(run->survival.ptr[pages[k]], length);
	}
	free(pages);
	return rc;
}

/* Of known pages, and of those that are probably still to be found. */
static double visits_left(const struct plan_run *run)
{
	double sum = (double)run->progress.known -
		     (double)(run->progress.visited + run->progress.failed);

	for (size_t i = 0; i < run->servers.len; i++)
		sum += run_unknown(run, &run->servers.ptr[i]);
	return fmax(0, sum);
}

bool plan_hours(struct plan_run *run, double now, const struct plan_hours *h)
{
	size_t visited = run->progress.visited, out = run->progress.in_flight;
	double visits = visits_left(run) * h->pace, go_on = 0;

	if (run->leg != PLAN_VISIT || run->visits_ended || run->rest_put_off ||
		!has_late_leg(run) || run->params.aim == PLAN_COMPLETE || visited == 0)
		return false;
	if (now < run->hours_weighed || h->left > MARGIN * h->pace * (double)(visited + out + 1) ||
		plan_hours_until(h, 2 * visits + (double)visited * h->pace) <= h->left)
		return false;
	run->hours_weighed = now + h->left;
	if (expect_waiting(run, h, visits, &go_on)) {
		run->error = ERR_NOMEM;
		return false;
	}
	return expect_visited(run, h, now, 0) > go_on + expect_visited(run, h, now, visits);
}

void plan_put_off_rest(struct plan_run *run)
{
	run->rest_put_off = true;
	run_touch_all(run);
}
