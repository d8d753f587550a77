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
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "plan/assign.h"
#include "plan/assign_flow.h"
#include "plan/assign_knots.h"
#include "plan/assign_rows.h"
#include "plan/assign_steps.h"
#include "plan/heat.h"

double assign_total(const struct assign_problem *p, const uint32_t *page_of)
{
	double sum = 0;

	for (size_t j = 0; j < p->n; j++)
		sum += assign_value(p, page_of[j], j);
	return sum;
}

bool assign_uniform(const struct assign_problem *p)
{
	for (size_t i = 1; i < p->n; i++)
		if (p->survival[i].shape != p->survival[0].shape ||
			(p->weight && p->weight[i] != p->weight[0]))
			return false;
	return true;
}

double assign_scale(const struct assign_problem *p)
{
	double scale = p->weight || p->n == 0 ? 0 : 1;

	for (uint32_t i = 0; p->weight && i < p->n; i++)
		scale = fmax(scale, (double)p->weight[i]);
	return scale;
}

void *assign_scratch(size_t n)
{
	return malloc((n + 1) * ASSIGN_SCRATCH);
}

int assign_start(const struct assign_problem *p, uint32_t *page_of)
{
	void *scratch;
	int rc = 0;

	if (p->n == 0)
		return 0;
	scratch = assign_scratch(p->n);
	if (!scratch)
		return ERR_NOMEM;
	if (assign_uniform(p))
		assign_chains(p, scratch, page_of);
	else
		rc = assign_guided(p, scratch, page_of);
	if (!rc)
		assign_exchange(p, scratch, page_of);
	free(scratch);
	return rc;
}

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

/* page_of by interval, from rows by interval. */
static void name_pages(struct assign_rows *r, const struct flow_shipment *entry,
	const uint32_t *row_of, uint32_t *page_of, size_t n)
{
	for (size_t j = 0; j < n; j++)
		page_of[j] = entry[r->order[r->next[row_of[j]]++]].row;
}

static double *lengths(const struct assign_problem *p)
{
	double *length = malloc(p->n * sizeof *length);

	for (size_t j = 0; length && j < p->n; j++)
		length[j] = assign_length(p, j);
	return length;
}

static int solve(
	const struct assign_problem *p, double max_values, uint32_t *page_of, double *price)
{
	double *length = lengths(p);
	struct flow_shipment *entry = malloc(p->n * sizeof *entry);
	uint32_t *row_of = malloc(p->n * sizeof *row_of);
	struct assign_rows r = {0};
	struct flow_problem flow = {.columns = p->n, .length = length};
	struct flow_start start = {.n = p->n, .max_values = max_values};
	int rc = length && entry && row_of ? 0 : ERR_NOMEM;

	for (uint32_t j = 0; !rc && j < p->n; j++)
		entry[j] = (struct flow_shipment){.row = page_of[j], .column = j, .amount = 1};
	if (!rc)
		rc = assign_rows_init(&r, p, entry, p->n);
	if (!rc) {
		flow.rows = r.n;
		flow.survival = r.survival;
		flow.weight = r.weight;
		flow.supply = r.supply;
		start.shipments = r.shipment;
		rc = flow_solve(&flow, &start, price, row_of);
	}
	if (!rc)
		name_pages(&r, entry, row_of, page_of, p->n);
	assign_rows_release(&r);
	free(length);
	free(entry);
	free(row_of);
	return rc;
}

int assign_exact(const struct assign_problem *p, size_t max_rows, uint32_t *page_of, double *price,
	double *ret_bound)
{
	int rc, failed;

	if (p->n == 0) {
		*ret_bound = 0;
		return 0;
	}
	rc = solve(p, (double)max_rows * (double)p->n, page_of, price);
	if (rc && rc != ERR_LIMIT)
		return rc;
	failed = assign_bound(p, price, ret_bound);
	return failed ? failed : rc;
}

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
