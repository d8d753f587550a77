/*
 * Groups while pages are discovered (docs/planning.md). Orders of visits know weights, not groups.
 * So each page gets the weight that it has for its groups, as in group.h: what one unit of its own
 * survival adds to whole groups, with the lengths that the others have or will probably get.
 *
 *   - A page that was visited is as old as it is, and gets as old again as the visits still take.
 *   - Pages that wait are assigned to the intervals that are left.
 *   - A page that was not visited may need anything. It counts less by what the requisites of
 *     others take away from them, on average.
 *
 * That is done again when the pages, or what is left of the visits, changed by a REFRESH-th.
 *
 * Invariant: an order finds a page by the weight with which it was placed, so placed[page] changes
 * only while the page is outside of it.
 */
#include <math.h>
#include <stdlib.h>

#include "plan/assign.h"
#include "plan/run.h"

enum {
	REFRESH = 8,
	ROUNDS = 3,       /* of lengths and weights, each from the other, */
	ROUNDS_MAX = 500, /* for so many pages; of more one at a time */
};

/* Entries that may be looked through to place pages anew: some hundredths of a second. */
static const double EFFORT_MAX = 4e7;

/* A page in a dead group is still worth something for itself. */
static const double ALONE = 0.01;

/* A weight that differs by less is the same: orders think in steps of this size. */
static const double SAME = 0.2;

static bool is_waiting(const struct plan_page *p)
{
	return p->state == WAITING && !p->ordered && !p->put_off && !p->found_late;
}

static bool stands_for_itself(const struct plan_page *p)
{
	return p->users == 0 || p->users > GROUP_SHARED_MAX;
}

/* Whether the order of visits is to know of groups. */
static bool has_worth(const struct plan_run *run)
{
	return run->visits->weighs && run->leg == PLAN_VISIT && has_late_leg(run);
}

/* ---- when an edge is new ---- */

/* Looks at no more than GROUP_SHARED_MAX + 1 edges. */
bool run_has_edge(const struct plan_run *run, uint32_t page, uint32_t requisite)
{
	uint32_t at = requisite < run->edge_of.len ? run->edge_of.ptr[requisite] : 0;

	while (at > 0 && run->groups.ptr[at - 1].page != page)
		at = run->edge_before.ptr[at - 1];
	return at > 0;
}

int run_add_edge(struct plan_run *run, uint32_t page, uint32_t requisite)
{
	TRY(group_edges_try_reserve(&run->groups, 1));
	TRY(u32_vec_try_reserve(&run->edge_before, 1));
	while (run->edge_of.len <= requisite)
		TRY(u32_vec_try_push(&run->edge_of, 0));
	run->edge_before.ptr[run->edge_before.len++] = run->edge_of.ptr[requisite];
	run->groups.ptr[run->groups.len++] = (struct group_edge){page, requisite};
	run->edge_of.ptr[requisite] = (uint32_t)run->groups.len;
	return 0;
}

int run_place_weights(struct plan_run *run)
{
	size_t len = run->worth.placed.len;

	if (!has_worth(run))
		return 0;
	TRY(weights_try_reserve(&run->worth.placed, run->pages.len - len));
	for (size_t i = len; i < run->pages.len; i++)
		run->worth.placed.ptr[run->worth.placed.len++] = run->weight.ptr[i];
	return 0;
}

/* Until the next look at all groups: what its page would be worth if it were visited now. */
void run_note_user(struct plan_run *run, uint32_t page, uint32_t requisite)
{
	const struct plan_page *r = &run->pages.ptr[requisite];
	struct run_server *s = run_server(run, page);
	float *placed = run->worth.placed.ptr;
	double length = 2 * s->site.delay * (double)(s->site.known - s->site.visited);

	if (requisite >= run->worth.placed.len || page >= run->pages.len || r->in_order)
		return;
	if (stands_for_itself(r)) {
		placed[requisite] = run->weight.ptr[requisite];
		return;
	}
	if (r->users == 1)
		placed[requisite] = 0;
	placed[requisite] += (float)((double)run->weight.ptr[page] *
				     survival_at(run->survival.ptr[page], length));
}

/* ---- all groups ---- */

/* Arrays by page, in one piece of memory. */
struct weighing {
	double now;
	double *alive;    /* probability that it is sharp */
	double *marginal; /* what a unit of that is worth */
	float *weight;    /* by index of a server's waiting pages, as the next two */
	struct survival *survival;
	uint32_t *waiting; /* page numbers, server by server */
	size_t *from;      /* by server: where its pages begin */
	uint32_t *index_of;
	struct groups groups;
};

static void weighing_release(struct weighing *w)
{
	free(w->alive);
	free(w->marginal);
	free(w->weight);
	free(w->survival);
	free(w->waiting);
	free(w->from);
	free(w->index_of);
	groups_release(&w->groups);
}

/* Waiting pages by server. */
static void sort_waiting(const struct plan_run *run, struct weighing *w)
{
	for (uint32_t i = 0; i < run->pages.len; i++)
		if (is_waiting(&run->pages.ptr[i]))
			w->from[run_server(run, i) - run->servers.ptr + 2]++;
	for (size_t s = 2; s < run->servers.len + 2; s++)
		w->from[s] += w->from[s - 1];
	for (uint32_t i = 0; i < run->pages.len; i++)
		if (is_waiting(&run->pages.ptr[i]))
			w->waiting[w->from[run_server(run, i) - run->servers.ptr + 1]++] = i;
}

static int weighing_init(struct weighing *w, const struct plan_run *run, double now)
{
	size_t n = run->pages.len;

	*w = (struct weighing){
		.now = now,
		.alive = calloc(n + 1, sizeof *w->alive),
		.marginal = calloc(n + 1, sizeof *w->marginal),
		.weight = malloc((n + 1) * sizeof *w->weight),
		.survival = malloc((n + 1) * sizeof *w->survival),
		.waiting = malloc((n + 1) * sizeof *w->waiting),
		.from = calloc(run->servers.len + 2, sizeof *w->from),
		.index_of = malloc((n + 1) * sizeof *w->index_of),
	};
	if (!w->alive || !w->marginal || !w->weight || !w->survival || !w->waiting || !w->from ||
		!w->index_of)
		return ERR_NOMEM;
	sort_waiting(run, w);
	for (uint32_t i = 0; i < n; i++) {
		unsigned char state = run->pages.ptr[i].state;
		bool counts =
			state == VISITED || state == IN_FLIGHT || is_waiting(&run->pages.ptr[i]);

		w->index_of[i] = counts ? i : UINT32_MAX;
	}
	return groups_init(&w->groups, &(struct groups_params){.edges = run->groups.ptr,
					       .edge_count = run->groups.len,
					       .index_of = w->index_of,
					       .pages = n,
					       .weight = run->weight.ptr,
					       .n = n});
}

/* Pages that were visited grow as old again as they are when the visits end. */
static void age_visited(const struct plan_run *run, struct weighing *w, double left)
{
	for (uint32_t i = 0; i < run->pages.len; i++) {
		const struct plan_page *p = &run->pages.ptr[i];
		double age = p->state == VISITED ? fmax(0, w->now - p->visit_end) : 0;

		if (p->state == VISITED || p->state == IN_FLIGHT)
			w->alive[i] = survival_at(run->survival.ptr[i], 2 * (age + left));
	}
}

/* The intervals of the pages that wait for one server. */
static int age_waiting(
	const struct plan_run *run, struct weighing *w, const struct run_server *s, double unknown)
{
	size_t at = (size_t)(s - run->servers.ptr), n = w->from[at + 1] - w->from[at];
	const uint32_t *pages = w->waiting + w->from[at];
	double between = 2 * s->site.delay;
	struct assign_problem p = {.n = n,
		.survival = w->survival,
		.weight = w->weight,
		.step = n > 0 ? between * ((double)n + unknown) / (double)n : between};
	struct assign_solution solution = {0};
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		w->survival[i] = run->survival.ptr[pages[i]];
		w->weight[i] = (float)w->marginal[pages[i]];
	}
	if (n > 0)
		rc = assign_solve(&p, true, ASSIGN_PAGES, &solution);
	for (size_t j = 0; rc == 0 && j < n; j++) {
		uint32_t page = pages[solution.page_of[j]];
		double length = assign_length(&p, j) + (p.step - between) / 2;

		w->alive[page] = survival_at(run->survival.ptr[page], length);
	}
	assign_solution_release(&solution);
	return rc;
}

/* What requisites take away from their pages, on average: the share of them that is left. */
static double share_left(const struct plan_run *run, const struct weighing *w)
{
	double pages = 0, sum = 0;

	for (uint32_t i = 0; i < run->pages.len; i++)
		pages += run->pages.ptr[i].state == VISITED && run->pages.ptr[i].users == 0;
	sum = pages;
	for (size_t g = 0; g < w->groups.count; g++) {
		const struct groups *all = &w->groups;
		uint32_t page = all->member[all->from[g]];
		double product = 1;

		if (run->pages.ptr[page].state != VISITED || run->pages.ptr[page].users > 0)
			continue;
		for (size_t k = all->from[g] + 1; k < all->from[g + 1]; k++)
			product *= w->alive[all->member[k]];
		sum += product - 1;
	}
	return pages > 0 ? sum / pages : 1;
}

static void find_marginals(const struct plan_run *run, struct weighing *w)
{
	double share = share_left(run, w);

	groups_marginals(&w->groups, run->pages.len, run->weight.ptr, w->alive, w->marginal);
	for (uint32_t i = 0; i < run->pages.len; i++) {
		double own = (double)run->weight.ptr[i];

		if (is_waiting(&run->pages.ptr[i]) && !w->groups.grouped[i] &&
			run->pages.ptr[i].users == 0)
			w->marginal[i] *= share;
		w->marginal[i] = fmax(w->marginal[i], ALONE * own);
	}
}

static int find_worth(struct plan_run *run, struct weighing *w)
{
	size_t rounds = run->pages.len <= ROUNDS_MAX ? ROUNDS : 1;
	double left = 0;
	int rc = 0;

	for (size_t i = 0; i < run->servers.len; i++) {
		const struct run_server *s = &run->servers.ptr[i];
		double pages = (double)(w->from[i + 1] - w->from[i]);

		left = fmax(left, (pages + run_unknown(run, s)) * s->site.delay);
	}
	age_visited(run, w, left);
	for (uint32_t i = 0; i < run->pages.len; i++)
		w->marginal[i] = (double)run->worth.placed.ptr[i];
	for (size_t round = 0; rc == 0 && round < rounds; round++) {
		for (size_t i = 0; rc == 0 && i < run->servers.len; i++)
			rc = age_waiting(run, w, &run->servers.ptr[i],
				run_unknown(run, &run->servers.ptr[i]));
		if (rc == 0)
			find_marginals(run, w);
	}
	return rc;
}

/* ---- and what follows for the order ---- */

static bool differs(double a, double b)
{
	return fabs(a - b) > SAME * fmax(a, b);
}

/* Pages whose weight is another now get another place; of very many only some, in turn. */
static int place_anew(struct plan_run *run, const struct weighing *w)
{
	size_t n = run->pages.len, waiting = w->from[run->servers.len];
	double effort = 0;

	for (size_t k = 0; k < n && effort < EFFORT_MAX; k++) {
		uint32_t page = (uint32_t)((run->worth.next + k) % n);
		struct plan_page *p = &run->pages.ptr[page];
		float worth = (float)w->marginal[page];

		if (!is_waiting(p) || !differs((double)worth, (double)run->worth.placed.ptr[page]))
			continue;
		if (!p->in_order) {
			run->worth.placed.ptr[page] = worth;
			continue;
		}
		TRY(run_order_anew(run, page, &run->survival.ptr[page], worth));
		effort += (double)waiting;
		if (effort >= EFFORT_MAX)
			run->worth.next = page;
	}
	return 0;
}

static bool is_due(const struct plan_run *run)
{
	size_t known = run->progress.known, visited = run->progress.visited;
	size_t left = known - (visited < known ? visited : known);
	bool grown = run->groups.len > run->worth.edges + run->worth.edges / REFRESH;
	bool shrunk = REFRESH * left < (REFRESH - 1) * run->worth.left ||
		      REFRESH * left > (REFRESH + 1) * run->worth.left;

	return run->groups.len > 0 && (grown || shrunk) && !run_is_scheduled(run);
}

void run_weigh_groups(struct plan_run *run, double now)
{
	struct weighing w;
	int rc;

	if (run->worth.placed.len == 0 || !has_worth(run) || run->visits_ended || !is_due(run))
		return;
	run->worth.edges = run->groups.len;
	run->worth.left = run->progress.known - run->progress.visited;
	rc = weighing_init(&w, run, now);
	if (rc == 0)
		rc = find_worth(run, &w);
	if (rc == 0)
		rc = run_are_few(run, w.from[1])
			     ? run_schedule_few(run, &w.groups, w.waiting, w.from[1], now)
			     : place_anew(run, &w);
	if (rc)
		run->error = rc;
	weighing_release(&w);
}
