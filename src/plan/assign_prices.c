/*
 * Prices of intervals from an assignment: the dual of the assignment problem, guessed.
 *
 * Along a chain, neighbours tell: the page on an interval must not prefer the next one, nor the
 * page there this one, so the price falls between the two by something from what the second would
 * gain up to what the first would lose. Inside a chain both nearly agree; where the chains meet,
 * and at the shortest intervals, they do not. There distant pages decide: hopeless ones, which have
 * nothing to lose, would all take the interval of length 0. So prices are then raised until no page
 * on a knot wants the interval of another knot: two rounds of longest paths.
 */
#include <stdlib.h>

#include "base/err.h"
#include "plan/assign.h"
#include "plan/assign_knots.h"

enum {
	KNOTS_DENSE = 256,
	ROUNDS = 2, /* more would only chase what little the assignment lacks to the optimum */
};

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

/* Lets the page on one knot bid for all others what would make it indifferent. */
static void raise_by(const struct assign_problem *p, uint32_t page, size_t own, const size_t *knot,
	double *price, size_t n)
{
	double surplus = assign_value(p, page, knot[own]) - price[own];

	for (size_t k = 0; k < n; k++) {
		double bid = assign_value(p, page, knot[k]) - surplus;

		if (bid > price[k])
			price[k] = bid;
	}
}

/* Passes what the knots have risen on to the intervals between them. */
static void spread(const size_t *knot, const double *raised, size_t n, double *price)
{
	double rise = raised[0] - price[knot[0]], next;

	price[knot[0]] = raised[0];
	for (size_t k = 0; k + 1 < n; k++, rise = next) {
		double width = (double)(knot[k + 1] - knot[k]);

		next = raised[k + 1] - price[knot[k + 1]];
		for (size_t j = knot[k] + 1; j < knot[k + 1]; j++)
			price[j] += rise + (next - rise) * (double)(j - knot[k]) / width;
		price[knot[k + 1]] = raised[k + 1];
	}
}

int assign_prices(const struct assign_problem *p, const uint32_t *page_of, double *price)
{
	size_t n = assign_knot_count(p->n, KNOTS_DENSE), i = 0;
	size_t *knot = calloc(n ? n : 1, sizeof *knot);
	double *raised = calloc(n ? n : 1, sizeof *raised);
	int rc = knot && raised ? 0 : ERR_NOMEM;

	if (rc || n == 0)
		goto done;
	from_neighbours(p, page_of, price);
	for (size_t j = 0; j < p->n; j = assign_next_knot(p->n, KNOTS_DENSE, j)) {
		knot[i] = j;
		raised[i++] = price[j];
	}
	for (int round = 0; round < ROUNDS; round++)
		for (size_t k = n; k-- > 0;)
			raise_by(p, page_of[knot[k]], k, knot, raised, n);
	spread(knot, raised, n, price);
done:
	free(knot);
	free(raised);
	return rc;
}
