/*
 * Our own strategy (docs/planning.md): the schedule that is expected to leave most pages sharp.
 *
 * Offline, the pages are assigned to the intervals of the pyramid: exactly for up to PLAN_EXACT_MAX
 * pages, nearly so above. The revisits are planned anew after the barrier, in both forms, with what
 * has been learned meanwhile: page i has survived a_i already, so it counts w_i S_i(a_i), and from
 * there on has the survival function of a page that old.
 */
#include <stdlib.h>

#include "base/err.h"
#include "plan/assign.h"
#include "plan/order.h"
#include "plan/plan.h"
#include "plan/planned.h"

/*
 * Rows an exact solution may scan: some seconds at PLAN_EXACT_MAX pages, far more than instances
 * with equal weights need.
 */
enum { EXACT_ROWS = 2000000 };

struct solution {
	uint32_t *page_of; /* interval -> index of the page */
	double *price;
	double bound;
};

static void solution_release(struct solution *s)
{
	free(s->page_of);
	free(s->price);
}

/* An upper bound is made only where it is wanted or comes with the exact solution. */
static int solve(const struct assign_problem *p, bool fast, bool bound, struct solution *ret)
{
	struct solution s = {.page_of = malloc((p->n ? p->n : 1) * sizeof *s.page_of)};
	bool exact = !fast && p->n <= PLAN_EXACT_MAX;
	int rc = s.page_of ? assign_start(p, s.page_of) : ERR_NOMEM;

	if (!rc && (exact || bound)) {
		s.price = malloc((p->n ? p->n : 1) * sizeof *s.price);
		rc = s.price ? assign_prices(p, s.page_of, s.price) : ERR_NOMEM;
	}
	if (!rc && bound)
		rc = assign_bound(p, s.price, &s.bound);
	if (!rc && exact) {
		double certified;

		rc = assign_exact(p, EXACT_ROWS, s.page_of, s.price, &certified);
		if (rc == ERR_LIMIT)
			rc = 0;
		if (!bound || certified < s.bound)
			s.bound = certified;
	}
	if (rc)
		solution_release(&s);
	else
		*ret = s;
	return rc;
}

static double *pyramid_lengths(double delay, size_t n)
{
	double *length = malloc((n ? n : 1) * sizeof *length);

	for (size_t j = 0; length && j < n; j++)
		length[j] = 2 * delay * (double)j;
	return length;
}

int plan_limit(const struct survival *survival, const float *weight, size_t n, double delay,
	bool fast, struct plan_limit *ret_limit)
{
	double *length = pyramid_lengths(delay, n);
	struct assign_problem p = {
		.n = n, .survival = survival, .weight = weight, .length = length};
	struct solution s;
	int rc = length ? solve(&p, fast, true, &s) : ERR_NOMEM;

	if (!rc) {
		ret_limit->reached = assign_total(&p, s.page_of);
		ret_limit->bound = s.bound > ret_limit->reached ? s.bound : ret_limit->reached;
		solution_release(&s);
	}
	free(length);
	return rc;
}

/* The pages of one leg as an assignment problem: copies, indexed 0..n-1. */
struct leg {
	struct assign_problem problem;
	struct survival *survival;
	float *weight;
	double *length;
};

static void leg_release(struct leg *l)
{
	free(l->survival);
	free(l->weight);
	free(l->length);
}

static int leg_init(struct leg *l, size_t n)
{
	*l = (struct leg){.survival = malloc((n ? n : 1) * sizeof *l->survival),
		.weight = malloc((n ? n : 1) * sizeof *l->weight),
		.length = malloc((n ? n : 1) * sizeof *l->length)};
	l->problem = (struct assign_problem){
		.n = n, .survival = l->survival, .weight = l->weight, .length = l->length};
	return l->survival && l->weight && l->length ? 0 : ERR_NOMEM;
}

/*
 * Pages outside the hopeful chain were given up: those that are hotter than the page on the next
 * shorter interval, from the outside in, for as long as that holds.
 */
static void mark_hopeless(const struct plan_site *site, struct visit_choice *outside_in, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++) {
		double here = site->survival[outside_in[i].page].rate;

		if (here <= site->survival[outside_in[i + 1].page].rate)
			return;
		outside_in[i].hopeless = true;
	}
}

static int offline(const struct plan_site *site, struct visit_choice *choices, size_t n)
{
	struct leg leg;
	struct solution s = {0};
	int rc = leg_init(&leg, n);

	for (size_t i = 0; !rc && i < n; i++) {
		leg.survival[i] = site->survival[choices[i].page];
		leg.weight[i] = site->weight[choices[i].page];
		leg.length[i] = plan_pyramid(site, i);
	}
	if (!rc)
		rc = solve(&leg.problem, site->fast, false, &s);
	for (size_t i = 0; !rc && i < n; i++)
		s.page_of[i] = choices[s.page_of[i]].page;
	for (size_t i = 0; !rc && i < n; i++)
		choices[n - 1 - i] = (struct visit_choice){.page = s.page_of[i]};
	if (!rc)
		mark_hopeless(site, choices, n);
	solution_release(&s);
	leg_release(&leg);
	return rc;
}

PLANNED_ORDER(visit_stillpoint_offline, offline);

/* Revisits at 0, 1, 2, ... delays after the barrier. */
static int arrange(const struct plan_site *site, struct visited *pages, size_t n)
{
	struct visited *sorted = malloc((n ? n : 1) * sizeof *sorted);
	struct leg leg;
	struct solution s = {0};
	int rc = leg_init(&leg, n);

	if (!sorted)
		rc = ERR_NOMEM;
	for (size_t i = 0; !rc && i < n; i++) {
		double alive;

		leg.survival[i] =
			survival_after(site->survival[pages[i].page], pages[i].age, &alive);
		leg.weight[i] = (float)(alive * (double)site->weight[pages[i].page]);
		leg.length[i] = site->delay * (double)i;
	}
	if (!rc)
		rc = solve(&leg.problem, site->fast, false, &s);
	for (size_t i = 0; !rc && i < n; i++)
		sorted[i] = pages[s.page_of[i]];
	for (size_t i = 0; !rc && i < n; i++)
		pages[i] = sorted[i];
	free(sorted);
	solution_release(&s);
	leg_release(&leg);
	return rc;
}

const struct revisit_order revisit_stillpoint = {.arrange = arrange};
