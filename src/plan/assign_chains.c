/*
 * A near-optimal assignment for pages that differ in their rates only.
 *
 * The optimum consists of two chains: hopeful pages from hot to cold on ever longer intervals, and
 * hopeless ones from hot to cold on ever shorter intervals, from the longest down. So pages are
 * taken from hot to cold and each goes to the shortest or to the longest free interval, whichever
 * has the smaller sensitivity to the rate, L e^(-rate L) for Poisson pages: of two neighbours in
 * heat the hotter one belongs there. The rule looks at two pages only; what it cannot see is when
 * giving up should end, and that is searched: from page k on every page is hopeful.
 *
 * What the rule does to the first k pages does not depend on k. So one pass over all pages tells
 * for every k how many are given up and what the first k are worth; only the hopeful rest, on
 * consecutive intervals, has to be summed for each k that is tried. Far from the best k a sample
 * of the rest is enough.
 */
#include <assert.h>

#include "plan/assign_knots.h"
#include "plan/assign_steps.h"
#include "plan/heat.h"

enum {
	EVERYWHERE = 24,  /* cut points of the first round of the search for k */
	CLOSER = 7,       /* and of the later ones */
	ROUGH_MIN = 4096, /* pages from which on the first rounds go by a sample */
	FINE = 1 << 14,   /* the last round's grid is n / FINE wide, or 1 */
};

static const struct assign_spacing SAMPLE = {.dense = 1024, .ratio = 256};

/* A page in the order of heat, and how far the rule got when it came to it. */
struct link {
	struct survival survival;
	double worth;      /* of all pages before this one */
	uint32_t given_up; /* how many of them */
	uint32_t page;
};

static_assert(sizeof(struct link) <= ASSIGN_SCRATCH, "they lie in scratch memory");

/* link[n] stands for no page and closes the sums. */
struct chains {
	const struct assign_problem *p;
	size_t n;
	struct link *link;
};

/* Sorts where the result will be; the links come where the sort had its scratch. */
static void chains_init(
	struct chains *c, const struct assign_problem *p, void *scratch, uint32_t *by_heat)
{
	for (uint32_t i = 0; i < p->n; i++)
		by_heat[i] = i;
	heat_sort_in(scratch, p->survival, by_heat, p->n);
	*c = (struct chains){.p = p, .n = p->n, .link = scratch};
	for (size_t i = 0; i < p->n; i++) {
		c->link[i].survival = p->survival[by_heat[i]];
		c->link[i].page = by_heat[i];
	}
}

/*
 * Where the hotter of two neighbours belongs. For pages so hot that both sensitivities vanish, the
 * shorter interval has the larger one all the same, unless it is nothing.
 */
static bool is_hopeless(struct survival s, double shortest, double longest)
{
	return shortest > 0 &&
	       survival_sensitivity(s, shortest) >= survival_sensitivity(s, longest);
}

/* Follows the rule to the end, noting for every k how far it got. */
static void follow_rule(struct chains *c)
{
	size_t lo = 0, hi = c->n; /* free intervals are [lo, hi) */

	c->link[0].given_up = 0;
	c->link[0].worth = 0;
	for (size_t i = 0; i < c->n; i++) {
		struct survival s = c->link[i].survival;
		bool hopeless =
			is_hopeless(s, assign_length(c->p, lo), assign_length(c->p, hi - 1));
		size_t j = hopeless ? --hi : lo++;

		c->link[i + 1].given_up = (uint32_t)(c->n - hi);
		c->link[i + 1].worth = c->link[i].worth + survival_at(s, assign_length(c->p, j));
	}
}

/* What page i is worth when those from k on are all hopeful, i among them. */
static double hopeful_value(const struct chains *c, size_t k, size_t i)
{
	return survival_at(c->link[i].survival, assign_length(c->p, i - c->link[k].given_up));
}

/* What all pages are worth when only among the first k some are given up. */
static double total_at(const struct chains *c, size_t k)
{
	double sum = c->link[k].worth;

	for (size_t i = k; i < c->n; i++)
		sum += hopeful_value(c, k, i);
	return sum;
}

/* The same, the hopeful rest being summed by the trapezoidal rule over a few of its pages. */
static double roughly_at(const struct chains *c, size_t k)
{
	double sum = c->link[k].worth, last = 0;
	size_t n = c->n - k, from = 0;

	for (size_t t = 0; t < n; from = t, t = assign_next_knot(SAMPLE, n, t)) {
		double value = hopeful_value(c, k, k + t);

		sum += value;
		if (t > from)
			sum += (double)(t - from - 1) * (last + value) / 2;
		last = value;
	}
	return sum;
}

struct cut {
	size_t k;
	double total;
};

static void try_cut(const struct chains *c, size_t k, bool rough, struct cut *best)
{
	double total = rough ? roughly_at(c, k) : total_at(c, k);

	if (total > best->total)
		*best = (struct cut){.k = k, .total = total};
}

/* Tries cuts at most width to either side of the best; returns their distance. */
static size_t look_closer(const struct chains *c, size_t width, bool rough, struct cut *best)
{
	size_t from = best->k > width ? best->k - width : 0;
	size_t to = best->k + width < c->n ? best->k + width : c->n;
	size_t step = (to - from) / CLOSER + 1;

	for (size_t k = from; k <= to; k += step)
		try_cut(c, k, rough, best);
	return step;
}

/*
 * The total over k rises to one summit, but may be flat far from it: so first a look everywhere,
 * at powers of two (few hopeless pages) and evenly; then ever finer grids around the best.
 */
static size_t best_cut(const struct chains *c)
{
	struct cut best = {.total = -1};
	size_t width = c->n / EVERYWHERE + 1;
	bool rough = c->n >= ROUGH_MIN;

	for (size_t k = 1; k < width; k *= 2)
		try_cut(c, k, rough, &best);
	for (size_t k = 0; k < c->n + width; k += width)
		try_cut(c, k < c->n ? k : c->n, rough, &best);
	while (rough && width > c->n / 256)
		width = look_closer(c, width, true, &best);
	best.total = total_at(c, best.k);
	while (width > c->n / FINE + 1)
		width = look_closer(c, width, false, &best);
	return best.k;
}

static void lay(const struct chains *c, size_t k, uint32_t *page_of)
{
	size_t lo = 0, hi = c->n;

	for (size_t i = 0; i < c->n; i++) {
		bool hopeless = i < k && c->link[i + 1].given_up > c->link[i].given_up;

		page_of[hopeless ? --hi : lo++] = c->link[i].page;
	}
}

void assign_chains(const struct assign_problem *p, void *scratch, uint32_t *page_of)
{
	struct chains c;

	chains_init(&c, p, scratch, page_of);
	follow_rule(&c);
	lay(&c, best_cut(&c), page_of);
}
