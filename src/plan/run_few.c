/*
 * Groups while pages are discovered, when few pages are left and all of them are known
 * (docs/planning.md). Weights of single pages do not see that everything may hang on one group, so
 * the order of these visits is searched as a whole (group.h).
 */
#include <math.h>
#include <stdlib.h>

#include "plan/run.h"

/* A problem over the waiting pages, and those that were visited and share a group with them. */
struct few {
	struct assign_problem p;
	size_t waiting;
	uint32_t *number; /* of the page, by index: waiting pages first */
	uint32_t *index_of;
	struct survival *survival;
	float *weight;
	double *length;
	uint32_t *page_of;
	struct group_edges edges;
};

static void few_release(struct few *f)
{
	free(f->number);
	free(f->index_of);
	free(f->survival);
	free(f->weight);
	free(f->length);
	free(f->page_of);
	group_edges_release(&f->edges);
}

static int few_init(struct few *f, size_t pages, size_t waiting)
{
	*f = (struct few){
		.waiting = waiting,
		.number = malloc((pages + 1) * sizeof *f->number),
		.index_of = malloc((pages + 1) * sizeof *f->index_of),
		.survival = malloc((pages + 1) * sizeof *f->survival),
		.weight = malloc((pages + 1) * sizeof *f->weight),
		.length = malloc((pages + 1) * sizeof *f->length),
		.page_of = malloc((pages + 1) * sizeof *f->page_of),
	};
	if (!f->number || !f->index_of || !f->survival || !f->weight || !f->length || !f->page_of)
		return ERR_NOMEM;
	for (size_t i = 0; i < pages; i++)
		f->index_of[i] = UINT32_MAX;
	return 0;
}

static void few_add(struct few *f, const struct plan_run *run, uint32_t page, double length)
{
	size_t i = f->p.n++;

	f->number[i] = page;
	f->index_of[page] = f->page_of[i] = (uint32_t)i;
	f->survival[i] = run->survival.ptr[page];
	f->weight[i] = run->weight.ptr[page];
	f->length[i] = length;
}

/* The groups that waiting pages are in, and what was visited of them. */
static int few_add_group(
	struct few *f, const struct plan_run *run, const struct groups *g, size_t group, double now)
{
	double left = run->servers.ptr[0].site.delay * (double)f->waiting;
	const uint32_t *member = g->member + g->from[group];
	size_t size = g->from[group + 1] - g->from[group];
	bool waits = false;
	int rc = 0;

	for (size_t k = 0; k < size; k++)
		waits |= f->index_of[member[k]] < f->waiting;
	for (size_t k = 0; rc == 0 && waits && k < size; k++) {
		const struct plan_page *p = &run->pages.ptr[member[k]];
		double age = p->state == VISITED ? fmax(0, now - p->visit_end) : 0;

		if (f->index_of[member[k]] == UINT32_MAX)
			few_add(f, run, member[k], 2 * (age + left));
		if (k > 0)
			rc = group_edges_try_push(
				&f->edges, (struct group_edge){member[0], member[k]});
	}
	return rc;
}

static int few_fill(struct few *f, const struct plan_run *run, const struct groups *g,
	const uint32_t *waiting, double now)
{
	const struct plan_site *site = &run->servers.ptr[0].site;
	int rc = 0;

	for (size_t i = 0; i < f->waiting; i++)
		few_add(f, run, waiting[i], plan_pyramid(site, i));
	for (size_t a = 0; rc == 0 && a < g->count; a++)
		rc = few_add_group(f, run, g, a, now);
	f->p.survival = f->survival;
	f->p.weight = f->weight;
	f->p.length = f->length;
	return rc;
}

static int few_solve(struct few *f, size_t pages)
{
	struct groups g = {0};
	int rc = groups_init(&g, &(struct groups_params){.edges = f->edges.ptr,
					 .edge_count = f->edges.len,
					 .index_of = f->index_of,
					 .pages = pages,
					 .weight = f->weight,
					 .n = f->p.n});

	if (rc == 0)
		rc = groups_solve(&g, &f->p, f->waiting, true, f->page_of);
	groups_release(&g);
	return rc;
}

int run_schedule_few(
	struct plan_run *run, const struct groups *g, const uint32_t *waiting, size_t n, double now)
{
	struct waiting_line *visits = &run->worth.visits;
	struct few f;
	int rc = few_init(&f, run->pages.len, n);

	visits->head = visits->pages.len = 0;
	if (rc == 0)
		rc = few_fill(&f, run, g, waiting, now);
	if (rc == 0)
		rc = few_solve(&f, run->pages.len);
	for (size_t j = n; rc == 0 && j-- > 0;) /* the longest interval first */
		rc = u32_vec_try_push(&visits->pages, f.number[f.page_of[j]]);
	run->worth.known = run->progress.known;
	few_release(&f);
	return rc;
}

bool run_are_few(const struct plan_run *run, size_t waiting)
{
	return run->servers.len == 1 && waiting <= GROUP_FEW &&
	       run_unknown(run, &run->servers.ptr[0]) < 0.5;
}

bool run_is_scheduled(const struct plan_run *run)
{
	const struct waiting_line *visits = &run->worth.visits;

	return visits->head < visits->pages.len && run->worth.known == run->progress.known &&
	       run->worth.edges == run->groups.len;
}

bool run_take_scheduled(struct plan_run *run, uint32_t *ret_page)
{
	return run_is_scheduled(run) && line_pop(&run->worth.visits, ret_page);
}
