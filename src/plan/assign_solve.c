#include "plan/assign_solve.h"

#include <stdlib.h>

#include "base/err.h"
#include "plan/plan.h"

/*
 * Rows an exact solution may scan: some seconds at PLAN_EXACT_MAX pages, far more than instances
 * with equal weights need.
 */
enum { EXACT_ROWS = 200000 };

void assign_solution_release(struct assign_solution *s)
{
	free(s->page_of);
	free(s->price);
	*s = (struct assign_solution){0};
}

int assign_solve(const struct assign_problem *p, bool fast, enum assign_effort effort,
	struct assign_solution *ret)
{
	struct assign_solution s = {.page_of = malloc((p->n ? p->n : 1) * sizeof *s.page_of)};
	bool exact = !fast && p->n <= PLAN_EXACT_MAX, bound = effort == ASSIGN_BOUND;
	int rc = s.page_of ? assign_start(p, s.page_of) : ERR_NOMEM;

	if (!rc && (exact || effort != ASSIGN_PAGES)) {
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
		assign_solution_release(&s);
	else
		*ret = s;
	return rc;
}

int assign_solve_within(
	const struct assign_problem *p, double loss, bool fast, struct assign_solution *ret)
{
	struct assign_solution s = {.page_of = malloc((p->n + 1) * sizeof *s.page_of),
		.price = malloc((p->n + 1) * sizeof *s.price)};
	double total = 0;
	int rc = s.page_of && s.price ? assign_start(p, s.page_of) : ERR_NOMEM;

	if (!rc)
		rc = assign_prices_for_bound(p, s.page_of, s.price);
	if (!rc)
		rc = assign_bound(p, s.price, &s.bound);
	if (!rc)
		total = assign_total(p, s.page_of);
	if (!rc && s.bound <= total * (1 + loss)) {
		*ret = s;
		return 0;
	}
	assign_solution_release(&s);
	return rc ? rc : assign_solve(p, fast, ASSIGN_PAGES, ret);
}
