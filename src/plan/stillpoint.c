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
#include "plan/group.h"
#include "plan/order.h"
#include "plan/plan.h"
#include "plan/select.h"

/* A better order of revisits must be better by this share, or it is only another. */
static const double SAME = 1e-7;

/*
 * The revisits of more pages may lose this share: an exact solution takes longer than the downloads
 * of many pages, which go on changing. What is lost is nearly always far less.
 */
static const double LOSS = 1e-4;
enum { EXACT_REVISITS = 256 };

int plan_limit(const struct survival *survival, const float *weight, size_t n, double delay,
	bool fast, struct plan_limit *ret_limit)
{
	struct assign_problem p = {
		.n = n, .survival = survival, .weight = weight, .step = 2 * delay};
	struct assign_solution s;
	int rc = assign_solve(&p, fast, ASSIGN_BOUND, &s);

	if (!rc) {
		ret_limit->reached = assign_total(&p, s.page_of);
		ret_limit->bound = fmax(s.bound, ret_limit->reached) * (1 + ASSIGN_ROUNDING);
		assign_solution_release(&s);
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

/* Whether a limit leaves fewer revisits than there are pages. */
static bool is_limited(const struct plan_site *site, size_t n)
{
	return site->revisits > 0 && site->revisits < n;
}

/* The best pages on the intervals that have a revisit; the others in their order behind them. */
static int solve_limited(
	const struct assign_problem *p, const struct plan_site *site, struct assign_solution *ret)
{
	struct select_problem select = {.assign = *p, .slots = site->revisits, .fast = site->fast};
	size_t to = site->revisits;
	bool *taken = calloc(p->n, sizeof *taken);
	uint32_t *page_of = malloc(p->n * sizeof *page_of);
	int rc = taken && page_of ? select_pages(&select, page_of, NULL, NULL) : ERR_NOMEM;

	for (size_t j = 0; rc == 0 && j < site->revisits; j++)
		taken[page_of[j]] = true;
	for (uint32_t i = 0; rc == 0 && i < p->n; i++)
		if (!taken[i])
			page_of[to++] = i;
	free(taken);
	if (rc)
		free(page_of);
	else
		ret->page_of = page_of;
	return rc;
}

/*
 * Improves an assignment for the sake of whole groups. number: of the page, by index; factor:
 * by index, what is left of each page (NULL: 1).
 */
struct grouping {
	bool is_quick; /* all pages grow older meanwhile */
	const struct assign_problem *problem;
	const uint32_t *number;
	const double *factor;
};

static int solve_groups(const struct plan_site *site, const struct grouping *by, uint32_t *page_of)
{
	size_t n = by->problem->n;
	uint32_t *index_of = malloc((site->pages + 1) * sizeof *index_of);
	float *weight = malloc((n + 1) * sizeof *weight);
	struct groups g = {0};
	int rc = index_of && weight ? 0 : ERR_NOMEM;

	for (size_t i = 0; rc == 0 && i < site->pages; i++)
		index_of[i] = UINT32_MAX;
	for (uint32_t i = 0; rc == 0 && i < n; i++) {
		index_of[by->number[i]] = i;
		weight[i] = site->weight[by->number[i]];
	}
	if (rc == 0)
		rc = groups_init(&g, &(struct groups_params){.edges = site->edges,
					     .edge_count = site->edge_count,
					     .index_of = index_of,
					     .pages = site->pages,
					     .weight = weight,
					     .factor = by->factor,
					     .n = n});
	if (rc == 0 && g.count > 0 && by->is_quick && n > GROUP_FEW)
		rc = groups_improve(&g, by->problem, page_of);
	else if (rc == 0 && g.count > 0)
		rc = groups_solve(&g, by->problem, n, site->fast || by->is_quick, page_of);
	groups_release(&g);
	free(index_of);
	free(weight);
	return rc;
}

static int group_visits(const struct plan_site *site, const struct assign_problem *p,
	const struct visit_choice *choices, uint32_t *page_of)
{
	uint32_t *number = malloc((p->n + 1) * sizeof *number);
	int rc = number ? 0 : ERR_NOMEM;

	for (size_t i = 0; rc == 0 && i < p->n; i++)
		number[i] = choices[i].page;
	if (rc == 0)
		rc = solve_groups(
			site, &(struct grouping){.problem = p, .number = number}, page_of);
	free(number);
	return rc;
}

static int offline(const struct plan_site *site, struct visit_choice *choices, size_t n)
{
	struct leg leg;
	struct assign_solution s = {0};
	int rc = leg_of_visits(&leg, site, choices, n);

	if (!rc && is_limited(site, n))
		rc = solve_limited(&leg.problem, site, &s);
	else if (!rc)
		rc = assign_solve(&leg.problem, site->fast, ASSIGN_PAGES, &s);
	if (!rc && site->edge_count > 0 && !is_limited(site, n))
		rc = group_visits(site, &leg.problem, choices, s.page_of);
	for (size_t i = 0; !rc && i < n; i++)
		s.page_of[i] = choices[s.page_of[i]].page;
	for (size_t i = 0; !rc && i < n; i++)
		choices[n - 1 - i] = (struct visit_choice){.page = s.page_of[i]};
	if (!rc)
		mark_hopeless(site, choices, n);
	assign_solution_release(&s);
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

/* Whether no order can be better by more than LOSS: hardly any page changes until its revisit. */
static bool is_calm(const struct assign_problem *p)
{
	double most = 0;

	for (uint32_t i = 0; i < p->n; i++)
		most += assign_weight(p, i);
	return lifo_total(p) >= most * (1 - LOSS);
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

	if (p->n > EXACT_REVISITS && is_calm(p))
		return true;
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
	const struct assign_problem *p, bool fast, struct assign_solution *ret, bool *ret_better)
{
	bool exact = !fast && p->n <= EXACT_REVISITS, within = !fast && p->n <= PLAN_EXACT_MAX;

	*ret_better = !keep_lifo(p, fast);
	if (*ret_better) {
		TRY(within && !exact ? assign_solve_within(p, LOSS, fast, ret)
				     : assign_solve(p, fast, ASSIGN_PAGES, ret));
		*ret_better = assign_total(p, ret->page_of) > lifo_total(p) * (1 + SAME);
	}
	return 0;
}

/* The last visited first, where that is as good as any. */
static void fill_lifo(const struct assign_problem *p, struct assign_solution *s)
{
	for (size_t j = 0; j < p->n; j++)
		s->page_of[j] = lifo_page(p, j);
}

/* What is expected of whole groups; begins with what is best without them. */
static int arrange_groups(const struct plan_site *site, const struct leg *leg,
	const uint32_t *pages, bool better, struct assign_solution *s)
{
	size_t n = leg->problem.n;
	double *alive = malloc((n + 1) * sizeof *alive);
	int rc = alive ? 0 : ERR_NOMEM;

	if (rc == 0 && !s->page_of) {
		s->page_of = malloc((n + 1) * sizeof *s->page_of);
		rc = s->page_of ? 0 : ERR_NOMEM;
	}
	if (rc == 0 && !better)
		fill_lifo(&leg->problem, s);
	for (size_t i = 0; rc == 0 && i < n; i++)
		alive[i] = survival_at(site->survival[pages[i]], plan_age(site, pages[i]));
	if (rc == 0)
		rc = solve_groups(site,
			&(struct grouping){.is_quick = true,
				.problem = &leg->problem,
				.number = pages,
				.factor = alive},
			s->page_of);
	free(alive);
	return rc;
}

/* Revisits at 0, 1, 2, ... delays after the barrier. */
static int plan_revisits(const struct plan_site *site, const struct leg *leg, const uint32_t *pages,
	struct assign_solution *s, bool *ret_better)
{
	size_t n = leg->problem.n;

	*ret_better = true;
	if (is_limited(site, n))
		return solve_limited(&leg->problem, site, s);
	TRY(solve_revisits(&leg->problem, site->fast, s, ret_better));
	if (site->edge_count > 0) {
		TRY(arrange_groups(site, leg, pages, *ret_better, s));
		*ret_better = true;
	}
	return 0;
}

static int arrange(const struct plan_site *site, uint32_t *pages, size_t n)
{
	struct leg leg;
	struct assign_solution s = {0};
	bool better = false;
	int rc = leg_init(&leg, n, site->delay);

	for (size_t i = 0; !rc && i < n; i++) {
		double alive, age = plan_age(site, pages[i]);

		leg.survival[i] = survival_after(site->survival[pages[i]], age, &alive);
		leg.weight[i] = (float)(alive * (double)site->weight[pages[i]]);
	}
	if (!rc)
		rc = plan_revisits(site, &leg, pages, &s, &better);
	for (size_t i = 0; !rc && better && i < n; i++)
		s.page_of[i] = pages[s.page_of[i]];
	for (size_t i = 0; !rc && better && i < n; i++)
		pages[i] = s.page_of[i];
	if (!rc && !better)
		rc = revisit_lifo.arrange(site, pages, n);
	assign_solution_release(&s);
	leg_release(&leg);
	return rc;
}

const struct revisit_order revisit_stillpoint = {.arrange = arrange};
