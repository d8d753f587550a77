/*
 * Prices of intervals from an assignment: the dual of the assignment problem, nearly.
 *
 * Along a chain, neighbours tell: the page on an interval must not prefer the next one, nor the
 * page there this one, so the price falls between the two by something from what the second would
 * gain up to what the first would lose. Inside a chain both nearly agree; where chains meet, and
 * at the shortest intervals, they do not: there distant pages decide. So the neighbours give the
 * shape between knots only, and the problem in small, where everybody competes with everybody, the
 * prices at the knots. It is solved from coarse to fine: each level starts from prices that are
 * nearly right.
 */
#include <stdlib.h>

#include "base/err.h"
#include "plan/assign.h"
#include "plan/assign_steps.h"
#include "plan/assign_strata.h"

static const struct assign_spacing LEVELS[] = {
	{32, 16}, {64, 32}, {128, 64}, {256, 128}, {512, 256}};

enum {
	LEVELS_N = sizeof LEVELS / sizeof LEVELS[0],
	LEVELS_MANY = 3, /* what is enough for a bound */
	MANY_MIN =
		20000, /* pages from which on that must do; below, the exact solver gains by more */
	SAMPLES = 4,   /* for each knot; 1 where neighbours are alike */
};

static const double VALUES_MAX = 3e7; /* for each level */

static void from_neighbours(const struct assign_problem *p, const uint32_t *page_of, double *price)
{
	price[p->n - 1] = 0;
	for (size_t j = p->n - 1; j-- > 0;) {
		uint32_t here = page_of[j], next = page_of[j + 1];
		double lose = assign_value(p, here, j) - assign_value(p, here, j + 1);
		double gain = assign_value(p, next, j) - assign_value(p, next, j + 1);

		price[j] = price[j + 1] + (lose + gain) / 2;
	}
}

/* Shifts the prices between two knots so that they meet those of the knots. */
static void spread(const struct strata *s, double *price)
{
	double rise = s->price[0] - price[0], next;

	for (size_t k = 0; k + 1 < s->n; k++, rise = next) {
		size_t a = s->knot[k], b = s->knot[k + 1];

		next = s->price[k + 1] - price[b];
		price[a] = s->price[k];
		for (size_t j = a + 1; j < b; j++)
			price[j] += rise + (next - rise) * (double)(j - a) / (double)(b - a);
	}
	price[s->knot[s->n - 1]] = s->price[s->n - 1];
}

static int price_knots(
	const struct assign_problem *p, const uint32_t *page_of, size_t levels, struct strata *s)
{
	struct strata_params params = {
		.samples = assign_uniform(p) ? 1 : SAMPLES, .max_values = VALUES_MAX};
	int rc = 0;

	for (size_t i = 0; !rc && i < levels && s->n < p->n; i++) {
		struct strata coarser = *s;

		params.spacing = LEVELS[i];
		rc = strata_init(s, p, page_of, &params, coarser.n ? &coarser : NULL);
		strata_release(&coarser);
	}
	return rc;
}

static int find_prices(
	const struct assign_problem *p, const uint32_t *page_of, size_t levels, double *price)
{
	struct strata s = {0};
	int rc;

	if (p->n == 0)
		return 0;
	rc = price_knots(p, page_of, levels, &s);
	if (!rc) {
		from_neighbours(p, page_of, price);
		spread(&s, price);
	}
	strata_release(&s);
	return rc;
}

int assign_prices(const struct assign_problem *p, const uint32_t *page_of, double *price)
{
	return find_prices(p, page_of, p->n < MANY_MIN ? LEVELS_N : LEVELS_MANY, price);
}

int assign_prices_for_bound(const struct assign_problem *p, const uint32_t *page_of, double *price)
{
	return find_prices(p, page_of, LEVELS_MANY, price);
}
