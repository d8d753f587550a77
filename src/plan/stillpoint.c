/*
 * Our own strategy (docs/planning.md): the schedule that is expected to leave most pages sharp.
 *
 * Offline, the pages are assigned to the intervals of the pyramid: exactly for up to PLAN_EXACT_MAX
 * pages, nearly so above. The revisits are planned anew after the barrier, in both forms, with what
 * has been learned meanwhile: page i has survived a_i already, so it counts w_i S_i(a_i), and from
 * there on has the survival function of a page that old.
 */
#include <math.h>
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
enum { EXACT_ROWS = 200000 };

/* Sums of the same values in another order may differ by this share. */
static const double ROUNDING = 1e-13;

/* A better order of revisits must be better by this share, or it is only another. */
static const double SAME = 1e-7;

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

int plan_limit(const struct survival *survival, const float *weight, size_t n, double delay,
	bool fast, struct plan_limit *ret_limit)
{
	struct assign_problem p = {
		.n = n, .survival = survival, .weight = weight, .step = 2 * delay};
	struct solution s;
	int rc = solve(&p, fast, true, &s);

	if (!rc) {
		ret_limit->reached = assign_total(&p, s.page_of);
		ret_limit->bound = fmax(s.bound, ret_limit->reached) * (1 + ROUNDING);
		solution_release(&s);
	}
	return rc;
}

/* The pages of one leg as an assignment problem: copies, indexed 0..n-1. */
struct leg {
	struct assign_problem problem;
	struct survival *survival;
	float *weight;
};

static void leg_release(struct leg *l)
{
	free(l->survival);
	free(l->weight);
}

static int leg_init(struct leg *l, size_t n, double step)
{
	size_t room = n ? n : 1;

	l->survival = calloc(room, sizeof *l->survival);
	l->weight = calloc(room, sizeof *l->weight);
	l->problem = (struct assign_problem){
		.n = n, .survival = l->survival, .weight = l->weight, .step = step};
	return l->survival && l->weight ? 0 : ERR_NOMEM;
}

/* Whether the choices are the pages 0..n-1 in this order: then nothing needs to be copied. */
static bool is_whole_site(const struct visit_choice *choices, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (choices[i].page != i)
			return false;
	return true;
}

static int leg_of_visits(
	struct leg *l, const struct plan_site *site, const struct visit_choice *choices, size_t n)
{
	double step = plan_pyramid(site, 1);
	int rc;

	if (is_whole_site(choices, n)) {
		*l = (struct leg){.problem = {.n = n,
					  .survival = site->survival,
					  .weight = site->weight,
					  .step = step}};
		return 0;
	}
	rc = leg_init(l, n, step);
	for (size_t i = 0; !rc && i < n; i++) {
		l->survival[i] = site->survival[choices[i].page];
		l->weight[i] = site->weight[choices[i].page];
	}
	return rc;
}

/* The hopeful chain ends with the coldest page; what lies outside it has been given up. */
static void mark_hopeless(const struct plan_site *site, struct visit_choice *outside_in, size_t n)
{
	size_t coldest = 0;

	for (size_t i = 1; i < n; i++)
		if (site->survival[outside_in[i].page].rate <
			site->survival[outside_in[coldest].page].rate)
			coldest = i;
	for (size_t i = 0; i < coldest; i++)
		outside_in[i].hopeless = true;
}

static int offline(const struct plan_site *site, struct visit_choice *choices, size_t n)
{
	struct leg leg;
	struct solution s = {0};
	int rc = leg_of_visits(&leg, site, choices, n);

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

/* The page on interval j when the last visited is revisited first. */
static uint32_t lifo_page(const struct assign_problem *p, size_t j)
{
	return (uint32_t)(p->n - 1 - j);
}

static double lifo_total(const struct assign_problem *p)
{
	double sum = 0;

	for (size_t j = 0; j < p->n; j++)
		sum += assign_value(p, lifo_page(p, j), j);
	return sum;
}

/* What exchanging pages at distance d, each pair for itself, would gain over last in first out. */
static double lifo_exchanges(const struct assign_problem *p, size_t d)
{
	double sum = 0;

	for (size_t j = 0; j + d < p->n; j++) {
		uint32_t near = lifo_page(p, j), far = lifo_page(p, j + d);
		double gain = assign_value(p, far, j) + assign_value(p, near, j + d) -
			      assign_value(p, near, j) - assign_value(p, far, j + d);

		sum += gain > 0 ? gain : 0;
	}
	return sum;
}

/*
 * When all visits went as planned, last in first out is optimal (the theorem), and a large site
 * need not be planned again to find that out.
 */
static bool keep_lifo(const struct assign_problem *p, bool fast)
{
	double total;

	if (!fast && p->n <= PLAN_EXACT_MAX)
		return false;
	total = lifo_total(p);
	for (size_t d = 1; d < p->n; d *= 2)
		if (lifo_exchanges(p, d) > total * SAME)
			return false;
	return true;
}

/* Solves the second leg; false in *ret_better when last in first out is as good. */
static int solve_revisits(
	const struct assign_problem *p, bool fast, struct solution *ret, bool *ret_better)
{
	int rc = 0;

	*ret_better = !keep_lifo(p, fast);
	if (*ret_better)
		rc = solve(p, fast, false, ret);
	if (rc == 0 && *ret_better)
		*ret_better = assign_total(p, ret->page_of) > lifo_total(p) * (1 + SAME);
	return rc;
}

/* Revisits at 0, 1, 2, ... delays after the barrier. */
static int arrange(const struct plan_site *site, uint32_t *pages, size_t n)
{
	struct leg leg;
	struct solution s = {0};
	bool better = false;
	int rc = leg_init(&leg, n, site->delay);

	for (size_t i = 0; !rc && i < n; i++) {
		double alive, age = plan_age(site, pages[i]);

		leg.survival[i] = survival_after(site->survival[pages[i]], age, &alive);
		leg.weight[i] = (float)(alive * (double)site->weight[pages[i]]);
	}
	if (!rc)
		rc = solve_revisits(&leg.problem, site->fast, &s, &better);
	for (size_t i = 0; !rc && better && i < n; i++)
		s.page_of[i] = pages[s.page_of[i]];
	for (size_t i = 0; !rc && better && i < n; i++)
		pages[i] = s.page_of[i];
	if (!rc && !better)
		rc = revisit_lifo.arrange(site, pages, n);
	solution_release(&s);
	leg_release(&leg);
	return rc;
}

const struct revisit_order revisit_stillpoint = {.arrange = arrange};
