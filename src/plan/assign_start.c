/*
 * A near-optimal assignment, fast.
 *
 * The optimum consists of two chains: hopeful pages from hot to cold on ever longer intervals, and
 * hopeless ones from hot to cold on ever shorter intervals, from the longest down. So pages are
 * taken from hot to cold and each goes to the shortest or to the longest free interval, whichever
 * has the smaller sensitivity to the rate, L e^(-rate L) for Poisson pages: of two neighbours in
 * heat the hotter one belongs there. The rule looks at two pages only; what it cannot see is when
 * giving up should end, and that is searched: from page k on every page is hopeful.
 *
 * Exchanges over distances 1, 2, 4, ... then repair what two chains in order of heat cannot
 * express (weights, mixed families).
 */
#include "plan/assign.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "plan/heat.h"

enum {
	EVERYWHERE = 24, /* cut points of the first round of the search for k */
	CLOSER = 7,      /* and of the later ones */
	SWEEPS_MAX = 24, /* rounds of exchanges; each is O(n log n) and most inputs need one */
};

/* A round of exchanges that gains less than this share of the total is the last. */
static const double SWEEP_GAIN = 1e-6;

double assign_total(const struct assign_problem *p, const uint32_t *page_of)
{
	double sum = 0;

	for (size_t j = 0; j < p->n; j++)
		sum += assign_value(p, page_of[j], j);
	return sum;
}

/* Lays pages, numbered from hot to cold, giving up only among the first k; returns the total. */
static double lay(const struct assign_problem *p, size_t k, uint32_t *page_of)
{
	size_t lo = 0, hi = p->n; /* free intervals are [lo, hi) */
	double sum = 0;

	for (uint32_t page = 0; page < p->n; page++) {
		struct survival s = p->survival[page];
		bool hopeless = page < k && survival_sensitivity(s, p->length[lo]) >
						    survival_sensitivity(s, p->length[hi - 1]);
		size_t j = hopeless ? --hi : lo++;

		sum += assign_value(p, page, j);
		page_of[j] = page;
	}
	return sum;
}

struct cut {
	size_t k;
	double total;
};

static void try_cut(const struct assign_problem *p, size_t k, uint32_t *scratch, struct cut *best)
{
	double total = lay(p, k, scratch);

	if (total > best->total)
		*best = (struct cut){.k = k, .total = total};
}

/*
 * The total over k rises to one summit, but may be flat far from it: so first a look everywhere,
 * at powers of two (few hopeless pages) and evenly; then ever finer grids around the best.
 */
static struct cut best_cut(const struct assign_problem *p, uint32_t *scratch)
{
	struct cut best = {.total = -1};
	size_t width = p->n / EVERYWHERE + 1;

	for (size_t k = 1; k < width; k *= 2)
		try_cut(p, k, scratch, &best);
	for (size_t k = 0; k < p->n + width; k += width)
		try_cut(p, k < p->n ? k : p->n, scratch, &best);

	while (width > 1) {
		size_t from = best.k > width ? best.k - width : 0;
		size_t to = best.k + width < p->n ? best.k + width : p->n;

		width = (to - from) / CLOSER + 1;
		for (size_t k = from; k <= to; k += width)
			try_cut(p, k, scratch, &best);
	}
	return best;
}

/* One exchange between intervals a and b if it gains; value caches what each interval has. */
static double exchange(
	const struct assign_problem *p, uint32_t *page_of, double *value, size_t a, size_t b)
{
	double va = assign_value(p, page_of[b], a);
	double vb = assign_value(p, page_of[a], b);
	double gain = va + vb - value[a] - value[b];
	uint32_t page = page_of[a];

	if (gain <= 0)
		return 0;
	page_of[a] = page_of[b];
	page_of[b] = page;
	value[a] = va;
	value[b] = vb;
	return gain;
}

static int exchanges(const struct assign_problem *p, uint32_t *page_of)
{
	double *value = calloc(p->n ? p->n : 1, sizeof *value);
	double total = 0, gain;

	if (!value)
		return ERR_NOMEM;
	for (size_t j = 0; j < p->n; j++) {
		value[j] = assign_value(p, page_of[j], j);
		total += value[j];
	}
	for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
		gain = 0;
		for (size_t d = 1; d < p->n; d *= 2)
			for (size_t j = 0; j + d < p->n; j++)
				gain += exchange(p, page_of, value, j, j + d);
		total += gain;
		if (gain <= total * SWEEP_GAIN)
			break;
	}
	free(value);
	return 0;
}

/*
 * The same problem with its pages renumbered by a key, from the largest down, and the best cut
 * in that order. Neighbours in the order are neighbours in memory: at a million pages that is
 * most of the speed.
 */
struct ranked {
	struct assign_problem problem;
	uint32_t *page; /* rank -> page of the original problem */
	struct survival *survival;
	float *weight;
	struct cut cut;
};

static void ranked_release(struct ranked *r)
{
	free(r->page);
	free(r->survival);
	free(r->weight);
}

static int ranked_init(
	struct ranked *r, const struct assign_problem *p, const double *key, uint32_t *scratch)
{
	int rc;

	*r = (struct ranked){.page = malloc(p->n * sizeof *r->page),
		.survival = malloc(p->n * sizeof *r->survival),
		.weight = p->weight ? malloc(p->n * sizeof *r->weight) : NULL};
	if (!r->page || !r->survival || (p->weight && !r->weight))
		return ERR_NOMEM;
	for (size_t i = 0; i < p->n; i++)
		r->page[i] = (uint32_t)i;
	rc = heat_sort_by(key, r->page, p->n);
	if (rc)
		return rc;
	for (size_t i = 0; i < p->n; i++) {
		r->survival[i] = p->survival[r->page[i]];
		if (p->weight)
			r->weight[i] = p->weight[r->page[i]];
	}
	r->problem = (struct assign_problem){
		.n = p->n, .survival = r->survival, .weight = r->weight, .length = p->length};
	r->cut = best_cut(&r->problem, scratch);
	return 0;
}

static int lay_and_exchange(const struct ranked *r, uint32_t *page_of)
{
	int rc;

	(void)lay(&r->problem, r->cut.k, page_of);
	rc = exchanges(&r->problem, page_of);
	for (size_t j = 0; j < r->problem.n; j++)
		page_of[j] = r->page[page_of[j]];
	return rc;
}

static bool weights_differ(const struct assign_problem *p)
{
	for (size_t i = 1; p->weight && i < p->n; i++)
		if (p->weight[i] != p->weight[0])
			return true;
	return false;
}

/* With weights, rate and weight x rate are both fair guesses at who should come first. */
int assign_start(const struct assign_problem *p, uint32_t *page_of)
{
	struct ranked by_rate = {0}, by_loss = {0};
	double *key;
	int rc;

	if (p->n == 0)
		return 0;
	key = calloc(p->n, sizeof *key);
	if (!key)
		return ERR_NOMEM;
	for (size_t i = 0; i < p->n; i++)
		key[i] = p->survival[i].rate;
	rc = ranked_init(&by_rate, p, key, page_of);
	if (!rc && weights_differ(p)) {
		for (size_t i = 0; i < p->n; i++)
			key[i] *= assign_weight(p, (uint32_t)i);
		rc = ranked_init(&by_loss, p, key, page_of);
	}
	free(key);
	if (!rc)
		rc = lay_and_exchange(
			by_loss.cut.total > by_rate.cut.total ? &by_loss : &by_rate, page_of);
	ranked_release(&by_rate);
	ranked_release(&by_loss);
	return rc;
}
