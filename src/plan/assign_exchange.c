/*
 * Exchanges of two pages over distances 1, 2, 4, ...: they repair what neither chains nor choices
 * at knots can express.
 */
#include <assert.h>

#include "plan/assign_steps.h"

enum { SWEEPS_MAX = 24 }; /* each is O(n log n), and most inputs need one */

/* A sweep that gains less than this share of the total is the last. */
static const double SWEEP_GAIN = 1e-5;

/* The pages as they lie on the intervals: neighbours there are neighbours in memory. */
struct lying {
	struct survival survival;
	double value; /* where it lies */
	float weight;
	uint32_t page;
};

static_assert(sizeof(struct lying) <= ASSIGN_SCRATCH, "they lie in scratch memory");

static double value_at(const struct lying *l, double length)
{
	return (double)l->weight * survival_at(l->survival, length);
}

/* One exchange between two intervals if it gains. */
static double exchange(struct lying *a, struct lying *b, double length_a, double length_b)
{
	double at_a = value_at(b, length_a), at_b = value_at(a, length_b);
	double gain = at_a + at_b - a->value - b->value;
	struct lying old = *a;

	if (gain <= 0)
		return 0;
	*a = *b;
	a->value = at_a;
	*b = old;
	b->value = at_b;
	return gain;
}

static double sweep(const struct assign_problem *p, struct lying *all)
{
	double gain = 0;

	for (size_t d = 1; d < p->n; d *= 2)
		for (size_t j = 0; j + d < p->n; j++)
			gain += exchange(
				&all[j], &all[j + d], assign_length(p, j), assign_length(p, j + d));
	return gain;
}

void assign_exchange(const struct assign_problem *p, void *scratch, uint32_t *page_of)
{
	struct lying *all = scratch;
	double total = 0, gain;
	int i = 0;

	for (size_t j = 0; j < p->n; j++) {
		all[j] = (struct lying){.survival = p->survival[page_of[j]],
			.weight = (float)assign_weight(p, page_of[j]),
			.page = page_of[j]};
		all[j].value = value_at(&all[j], assign_length(p, j));
		total += all[j].value;
	}
	do {
		gain = sweep(p, all);
		total += gain;
	} while (gain > total * SWEEP_GAIN && ++i < SWEEPS_MAX);
	for (size_t j = 0; j < p->n; j++)
		page_of[j] = all[j].page;
}
