#include "plan/assign.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "plan/assign_flow.h"
#include "plan/assign_menu.h"
#include "plan/heat.h"
#include "plan/plan.h"

/*
 * Knots: the few intervals at which prices are looked at when there are many. The shortest are all
 * knots, because prices bend most there; the further ones are spaced geometrically.
 */

struct assign_spacing {
	size_t dense; /* that many are all knots */
	size_t ratio; /* from there on the next knot is further by 1/ratio */
};

/* The knot after j; n when j was the last, which is always n - 1. */
static inline size_t assign_next_knot(struct assign_spacing s, size_t n, size_t j)
{
	size_t next = j < s.dense ? j + 1 : j + j / s.ratio + 1;

	if (j + 1 >= n)
		return n;
	return next < n ? next : n - 1;
}

static inline size_t assign_knot_count(struct assign_spacing s, size_t n)
{
	size_t count = 0;

	for (size_t j = 0; j < n; j = assign_next_knot(s, n, j))
		count++;
	return count;
}

/*
 * Pages as the rows of a flow problem. Pages that are alike in everything are one row. That is not
 * only less work: likes compete for the same intervals at the same prices, and separate rows would
 * have to outbid each other one by one.
 */

struct assign_rows {
	size_t n;
	struct survival *survival; /* by row, as are weight and supply */
	float *weight;
	uint32_t *supply;
	uint32_t *next;                 /* by row: its first entry in order */
	uint32_t *order;                /* entries, likes side by side */
	struct flow_shipment *shipment; /* the entries with rows instead of pages */
};

void assign_rows_release(struct assign_rows *r);

void assign_rows_release(struct assign_rows *r)
{
	free(r->survival);
	free(r->weight);
	free(r->supply);
	free(r->next);
	free(r->order);
	free(r->shipment);
}

static int rows_alloc(struct assign_rows *r, size_t n)
{
	*r = (struct assign_rows){.survival = malloc(n * sizeof *r->survival),
		.weight = malloc(n * sizeof *r->weight),
		.supply = malloc(n * sizeof *r->supply),
		.next = malloc(n * sizeof *r->next),
		.order = malloc(n * sizeof *r->order),
		.shipment = malloc(n * sizeof *r->shipment)};
	return r->survival && r->weight && r->supply && r->next && r->order && r->shipment
		       ? 0
		       : ERR_NOMEM;
}

/* Stable sorts by each of the three numbers leave likes side by side. */
static int sort_likes(const struct assign_problem *p, const struct flow_shipment *entry,
	uint32_t *order, size_t n)
{
	double *key = calloc(n, sizeof *key);
	int rc;

	if (!key)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++) {
		order[i] = i;
		key[i] = assign_weight(p, entry[i].row);
	}
	rc = heat_sort_by(key, order, n);
	for (uint32_t i = 0; i < n; i++)
		key[i] = p->survival[entry[i].row].shape;
	if (!rc)
		rc = heat_sort_by(key, order, n);
	for (uint32_t i = 0; i < n; i++)
		key[i] = p->survival[entry[i].row].rate;
	if (!rc)
		rc = heat_sort_by(key, order, n);
	free(key);
	return rc;
}

static bool alike(const struct assign_problem *p, uint32_t a, uint32_t b)
{
	return p->survival[a].rate == p->survival[b].rate &&
	       p->survival[a].shape == p->survival[b].shape &&
	       assign_weight(p, a) == assign_weight(p, b);
}

/*
 * entry[i].row is a page; it ships an amount > 0 to a column for the time being. n > 0. Returns 0
 * or ERR_NOMEM; release with assign_rows_release in either case.
 */
static int assign_rows_init(struct assign_rows *r, const struct assign_problem *p,
	const struct flow_shipment *entry, size_t n)
{
	int rc = rows_alloc(r, n);

	if (!rc)
		rc = sort_likes(p, entry, r->order, n);
	for (uint32_t i = 0; !rc && i < n; i++) {
		struct flow_shipment s = entry[r->order[i]];

		if (i == 0 || !alike(p, s.row, entry[r->order[i - 1]].row)) {
			r->survival[r->n] = p->survival[s.row];
			r->weight[r->n] = (float)assign_weight(p, s.row);
			r->supply[r->n] = 0;
			r->next[r->n++] = i;
		}
		s.row = (uint32_t)r->n - 1;
		r->supply[s.row] += s.amount;
		r->shipment[r->order[i]] = s;
	}
	return rc;
}

/*
 * The assignment problem in small. Intervals are gathered around knots; the pages that an
 * assignment puts there are stood for by a few of them. The dual of this flow problem, solved
 * exactly, prices the knots of the whole.
 */

struct strata_params {
	struct assign_spacing spacing;
	size_t samples;    /* pages that stand for those around one knot, at most */
	double max_values; /* effort: when it is used up, prices are taken as they are */
};

struct strata {
	size_t n;
	size_t *knot; /* interval index */
	double *length, *price;
};

/* The first of the intervals that belong to knot k: those nearer to it than to the others. */
static size_t strata_begin(const struct strata *s, size_t k);

/* The columns, which are the knots, and the pages that are to become rows. */
struct gathered {
	size_t n;
	struct flow_shipment *page;
	uint32_t *demand; /* by column */
};

static void gathered_release(struct gathered *g)
{
	free(g->page);
	free(g->demand);
}

static int gathered_init(struct gathered *g, size_t pages, size_t columns)
{
	*g = (struct gathered){.page = malloc(pages * sizeof *g->page),
		.demand = malloc(columns * sizeof *g->demand)};
	return g->page && g->demand ? 0 : ERR_NOMEM;
}

/* Lets a few of the pages on the intervals [from, to) around a knot stand for all of them. */
static void sample(struct gathered *g, const uint32_t *page_of, size_t from, size_t to,
	size_t samples, uint32_t column)
{
	if (samples > to - from)
		samples = to - from;
	for (size_t k = 0; k < samples; k++) {
		size_t a = from + (to - from) * k / samples;
		size_t b = from + (to - from) * (k + 1) / samples;

		g->page[g->n++] = (struct flow_shipment){.row = page_of[a + (b - a) / 2],
			.column = column,
			.amount = (uint32_t)(b - a)};
	}
	g->demand[column] = (uint32_t)(to - from);
}

static void gather(const struct strata *s, struct gathered *g, const struct assign_problem *p,
	const uint32_t *page_of, size_t samples)
{
	for (size_t k = 0; k < s->n; k++)
		sample(g, page_of, strata_begin(s, k), k + 1 < s->n ? strata_begin(s, k + 1) : p->n,
			samples, (uint32_t)k);
}

/* A first guess, from what the pages on neighbouring knots would lose and gain by changing. */
static void guess(struct strata *s, const struct assign_problem *p, const uint32_t *page_of)
{
	s->price[s->n - 1] = 0;
	for (size_t k = s->n - 1; k-- > 0;) {
		size_t here = s->knot[k], next = s->knot[k + 1];
		double lose =
			assign_value(p, page_of[here], here) - assign_value(p, page_of[here], next);
		double gain =
			assign_value(p, page_of[next], here) - assign_value(p, page_of[next], next);

		s->price[k] = s->price[k + 1] + (lose + gain) / 2;
	}
}

/* Prices that are linear between the knots of a coarser solution. */
static void adopt(struct strata *s, const struct strata *coarser)
{
	size_t c = 0;

	for (size_t k = 0; k < s->n; k++) {
		double span = 0;

		while (c + 2 < coarser->n && coarser->length[c + 1] <= s->length[k])
			c++;
		s->price[k] = coarser->price[c];
		if (c + 1 < coarser->n)
			span = coarser->length[c + 1] - coarser->length[c];
		if (span > 0)
			s->price[k] += (s->length[k] - coarser->length[c]) / span *
				       (coarser->price[c + 1] - coarser->price[c]);
	}
}

static int solve(const struct strata *s, const struct gathered *g, const struct assign_problem *p,
	double max_values)
{
	struct assign_rows rows;
	int rc = assign_rows_init(&rows, p, g->page, g->n);

	if (!rc) {
		struct flow_problem flow = {.rows = rows.n,
			.columns = s->n,
			.survival = rows.survival,
			.weight = rows.weight,
			.supply = rows.supply,
			.length = s->length,
			.demand = g->demand};
		struct flow_start start = {
			.shipments = rows.shipment, .n = g->n, .max_values = max_values};

		rc = flow_solve(&flow, &start, s->price, NULL);
	}
	assign_rows_release(&rows);
	return rc == ERR_LIMIT ? 0 : rc; /* the prices are as good as they got */
}

static int place_knots(
	struct strata *s, const struct assign_problem *p, struct assign_spacing spacing)
{
	size_t n = assign_knot_count(spacing, p->n);

	assert(n > 0);
	*s = (struct strata){.knot = malloc(n * sizeof *s->knot),
		.length = malloc(n * sizeof *s->length),
		.price = malloc(n * sizeof *s->price)};
	if (!s->knot || !s->length || !s->price)
		return ERR_NOMEM;
	for (size_t j = 0; j < p->n; j = assign_next_knot(spacing, p->n, j)) {
		s->knot[s->n] = j;
		s->length[s->n++] = assign_length(p, j);
	}
	return 0;
}

/*
 * n > 0. coarser: prices to begin with, or NULL. page_of need not be good, but the better it is,
 * the better it tells which pages matter. Returns 0 or ERR_NOMEM; release with strata_release in
 * either case.
 */
static int strata_init(struct strata *s, const struct assign_problem *p, const uint32_t *page_of,
	const struct strata_params *params, const struct strata *coarser)
{
	struct gathered g = {0};
	int rc = place_knots(s, p, params->spacing);

	if (!rc)
		rc = gathered_init(&g, s->n * params->samples, s->n);
	if (!rc) {
		gather(s, &g, p, page_of, params->samples);
		if (coarser)
			adopt(s, coarser);
		else
			guess(s, p, page_of);
		rc = solve(s, &g, p, params->max_values);
	}
	gathered_release(&g);
	return rc;
}

/* The same knots with the prices of another solution, linear between its knots. */
static int strata_adopt(struct strata *s, const struct assign_problem *p,
	struct assign_spacing spacing, const struct strata *other)
{
	TRY(place_knots(s, p, spacing));
	adopt(s, other);
	return 0;
}

static void strata_release(struct strata *s)
{
	free(s->knot);
	free(s->length);
	free(s->price);
}

static size_t strata_begin(const struct strata *s, size_t k)
{
	return k > 0 ? s->knot[k - 1] + (s->knot[k] - s->knot[k - 1]) / 2 + 1 : 0;
}

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

static void *assign_scratch(size_t n)
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

static int chains_solve(
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
	rc = chains_solve(p, (double)max_rows * (double)p->n, page_of, price);
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

/*
 * An assignment for pages that differ in more than their rates. No order of heat tells where they
 * belong, but prices do: at the optimal ones every page sits where its own surplus is largest. So
 * prices come from the problem in small, every page chooses a knot, and pages are laid in the order
 * of their choices; those of one knot in the order of what they lose by moving on.
 *
 * Which pages stand for the others in the small problem depends on the assignment it is made
 * from, and a bad one shows it the wrong pages; so this is done a few times, coarsely at first.
 * Of very many pages only some take part in all but the last of these rounds.
 */

static const struct strata_params ROUNDS[] = {
	{.spacing = {16, 8}, .samples = 2, .max_values = 5e7},
	{.spacing = {32, 16}, .samples = 2, .max_values = 5e7},
	{.spacing = {64, 32}, .samples = 2, .max_values = 5e7},
	{.spacing = {64, 32}, .samples = 4, .max_values = 5e7},
};

enum {
	ROUNDS_N = sizeof ROUNDS / sizeof ROUNDS[0],
	THIN_MIN = 60000, /* pages from which on only some take part at first */
	THIN_TO = 30000,  /* about so many of them */
	FULL_ROUNDS = 2,  /* in which all do, then */
	GUIDED_PATIENCE = 100,
};

static const uint32_t NOT_YET = UINT32_MAX;

static const double GUIDED_TOLERANCE = 1e-12; /* in units of the largest weight */

struct guide {
	const struct assign_problem *p;
	uint32_t *best_of;    /* of the best round, the caller's */
	double best;          /* its total */
	struct strata strata; /* of the last round; n == 0 before the first */
	uint32_t *room;       /* by knot: how many more may choose it; while they do */
	struct menu_memo *memo;

	/* In scratch memory, from the first round on. */
	double *loss;      /* by page: what it would lose from the knot before to the one after */
	uint32_t *knot;    /* by page: the one it chooses, or NOT_YET */
	uint32_t *page_of; /* of the last round */
	void *sorting;
};

static_assert(sizeof(double) + 2 * sizeof(uint32_t) + HEAT_SCRATCH <= ASSIGN_SCRATCH,
	"a guide lies in scratch memory");

static int guide_init(
	struct guide *g, const struct assign_problem *p, void *scratch, uint32_t *page_of)
{
	*g = (struct guide){
		.p = p, .best_of = page_of, .best = -1, .memo = malloc(sizeof *g->memo)};
	g->loss = scratch;
	g->sorting = g->loss + p->n;
	g->knot = (uint32_t *)((char *)g->sorting + p->n * HEAT_SCRATCH);
	g->page_of = g->knot + p->n;
	return g->memo ? 0 : ERR_NOMEM;
}

static void guide_release(struct guide *g)
{
	strata_release(&g->strata);
	free(g->memo);
}

static uint32_t intervals_around(const struct guide *g, size_t knot)
{
	const struct strata *s = &g->strata;
	size_t end = knot + 1 < s->n ? strata_begin(s, knot + 1) : g->p->n;

	return (uint32_t)(end - strata_begin(s, knot));
}

/* A knot takes somewhat more pages than there are intervals around it: they can move over. */
static uint32_t extra(const struct guide *g, size_t knot)
{
	return (uint32_t)sqrt((double)intervals_around(g, knot));
}

static int make_room(struct guide *g)
{
	g->room = malloc(g->strata.n * sizeof *g->room);
	for (size_t k = 0; g->room && k < g->strata.n; k++)
		g->room[k] = intervals_around(g, k) + extra(g, k);
	return g->room ? 0 : ERR_NOMEM;
}

static void remove_extra(struct guide *g, struct menu *menu)
{
	for (uint32_t k = 0; k < g->strata.n; k++) {
		uint32_t less = extra(g, k);

		if (g->room[k] > 0 && g->room[k] <= less)
			menu_close(menu, k);
		g->room[k] = g->room[k] > less ? g->room[k] - less : 0;
	}
}

static double loss_around(const struct strata *s, size_t knot, struct survival page)
{
	size_t before = knot > 0 ? knot - 1 : 0, after = knot + 1 < s->n ? knot + 1 : knot;

	return survival_at(page, s->length[before]) - survival_at(page, s->length[after]);
}

static void take(
	struct guide *g, struct menu *menu, const struct menu_page *page, uint32_t i, uint32_t knot)
{
	if (--g->room[knot] == 0)
		menu_close(menu, knot);
	g->knot[i] = knot;
	g->loss[i] = page->weight * loss_around(&g->strata, knot, page->survival);
}

/* Lets all pages choose but those that are to be deferred; then those that were. */
static void choose_pass(struct guide *g, struct menu *menu, bool defer)
{
	double scale = assign_scale(g->p);
	struct menu_page page = {.hint = UINT32_MAX, .patience = GUIDED_PATIENCE};

	page.tolerance = fmax(GUIDED_TOLERANCE * scale, DBL_MIN);
	for (uint32_t i = 0; i < g->p->n; i++) {
		struct menu_offer offer;

		if (!defer && g->knot[i] != NOT_YET)
			continue;
		page.survival = g->p->survival[i];
		page.weight = assign_weight(g->p, i);
		offer = menu_recall(menu, &page, g->memo);
		g->knot[i] = NOT_YET;
		if (!defer || offer.values > 0)
			take(g, menu, &page, i, offer.interval);
		page.hint = offer.interval;
	}
}

/*
 * Thousands of pages may find the same interval as good as many others; those whom it has no room
 * for have to be sent on. Pages of which there are many alike (the memo knows them) come second: as
 * a rule several knots are equally good for them, but not for those whose place they would take.
 */
static int choose(struct guide *g)
{
	struct menu menu;
	int rc = menu_init(&menu, g->strata.length, g->strata.price, g->strata.n);

	if (!rc)
		rc = make_room(g);
	if (!rc) {
		*g->memo = (struct menu_memo){0};
		choose_pass(g, &menu, true);
		remove_extra(g, &menu);
		choose_pass(g, &menu, false);
	}
	free(g->room);
	g->room = NULL;
	menu_release(&menu);
	return rc;
}

static void keep_best(struct guide *g)
{
	double total = assign_total(g->p, g->page_of);

	if (total > g->best) {
		g->best = total;
		memcpy(g->best_of, g->page_of, g->p->n * sizeof *g->page_of);
	}
}

/* Puts pages into the order of their knots; end[k] becomes the first place behind knot k. */
static void sort_by_knot(const struct guide *g, uint32_t *end)
{
	for (uint32_t i = 0; i < g->p->n; i++)
		end[g->knot[i]]++;
	for (size_t k = 1; k < g->strata.n; k++)
		end[k] += end[k - 1];
	for (uint32_t i = (uint32_t)g->p->n; i-- > 0;)
		g->page_of[--end[g->knot[i]]] = i;
	for (size_t k = 0; k + 1 < g->strata.n; k++)
		end[k] = end[k + 1];
	end[g->strata.n - 1] = (uint32_t)g->p->n;
}

static int guided_lay(struct guide *g)
{
	uint32_t *end = calloc(g->strata.n, sizeof *end);

	if (!end)
		return ERR_NOMEM;
	sort_by_knot(g, end);
	for (size_t k = 0, from = 0; k < g->strata.n; from = end[k++])
		heat_sort_by_in(g->sorting, g->loss, g->page_of + from, end[k] - from);
	free(end);
	keep_best(g);
	return 0;
}

static int next_round(struct guide *g, const struct strata_params *params)
{
	struct strata s;
	int rc = strata_init(&s, g->p, g->page_of, params, g->strata.n ? &g->strata : NULL);

	strata_release(&g->strata);
	g->strata = s;
	if (!rc)
		rc = choose(g);
	return rc ? rc : guided_lay(g);
}

static int all_rounds(struct guide *g)
{
	int rc = 0;

	assign_chains(g->p, g->loss, g->best_of);
	memcpy(g->page_of, g->best_of, g->p->n * sizeof *g->page_of);
	g->best = assign_total(g->p, g->best_of);
	for (size_t i = 0; !rc && i < ROUNDS_N; i++)
		rc = next_round(g, &ROUNDS[i]);
	return rc;
}

/* Every step-th page in order of heat, and every step-th interval. */
struct thin {
	struct assign_problem p;
	struct survival *survival;
	float *weight;
	double *length;
	uint32_t *page_of;
	void *scratch;
};

static int thin_init(struct thin *t, const struct assign_problem *p, const uint32_t *by_heat)
{
	size_t step = p->n / THIN_TO, n = p->n / step;

	*t = (struct thin){.survival = malloc(n * sizeof *t->survival),
		.weight = malloc(n * sizeof *t->weight),
		.length = malloc(n * sizeof *t->length),
		.page_of = malloc(n * sizeof *t->page_of),
		.scratch = assign_scratch(n)};
	if (!t->survival || !t->weight || !t->length || !t->page_of || !t->scratch)
		return ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		uint32_t page = by_heat[i * step + step / 2];

		t->survival[i] = p->survival[page];
		t->weight[i] = (float)assign_weight(p, page);
		t->length[i] = assign_length(p, i * step + step / 2);
	}
	t->p = (struct assign_problem){
		.n = n, .survival = t->survival, .weight = t->weight, .length = t->length};
	return 0;
}

static void thin_release(struct thin *t)
{
	free(t->survival);
	free(t->weight);
	free(t->length);
	free(t->page_of);
	free(t->scratch);
}

/* The prices that a few of the pages lead to, and what these tell all of them. */
static int thin_rounds(struct guide *g)
{
	struct thin t;
	struct guide small = {0};
	int rc;

	for (uint32_t i = 0; i < g->p->n; i++)
		g->page_of[i] = i;
	heat_sort_in(g->sorting, g->p->survival, g->page_of, g->p->n);
	rc = thin_init(&t, g->p, g->page_of);
	if (!rc)
		rc = guide_init(&small, &t.p, t.scratch, t.page_of);
	if (!rc)
		rc = all_rounds(&small);
	if (!rc)
		rc = strata_adopt(&g->strata, g->p, ROUNDS[ROUNDS_N - 1].spacing, &small.strata);
	if (!rc)
		rc = choose(g);
	if (!rc)
		rc = guided_lay(g);
	for (int i = 0; !rc && i < FULL_ROUNDS; i++)
		rc = next_round(g, &ROUNDS[ROUNDS_N - 1]);
	guide_release(&small);
	thin_release(&t);
	return rc;
}

int assign_guided(const struct assign_problem *p, void *scratch, uint32_t *page_of)
{
	struct guide g;
	int rc = guide_init(&g, p, scratch, page_of);

	if (!rc)
		rc = p->n < THIN_MIN ? all_rounds(&g) : thin_rounds(&g);
	guide_release(&g);
	return rc;
}

static const struct assign_spacing LEVELS[] = {
	{32, 16}, {64, 32}, {128, 64}, {256, 128}, {512, 256}};

enum {
	LEVELS_N = sizeof LEVELS / sizeof LEVELS[0],
	LEVELS_MANY = 3, /* what is enough for a bound */
	MANY_MIN =
		20000, /* pages from which on that must do; below, the exact solver gains by more */
	SAMPLES = 4,   /* for each knot; 1 where neighbours are alike */
};

static const double PRICES_VALUES_MAX = 3e7; /* for each level */

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
		.samples = assign_uniform(p) ? 1 : SAMPLES, .max_values = PRICES_VALUES_MAX};
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

/* Cheaper: good enough for a bound, not to begin an exact solution from. */
static int assign_prices_for_bound(
	const struct assign_problem *p, const uint32_t *page_of, double *price)
{
	return find_prices(p, page_of, LEVELS_MANY, price);
}

static const double TOLERANCE = 1e-13; /* in units of the largest weight */

/*
 * Effort for all pages together, in values. Good prices need some forty for a page, but where pages
 * are nearly alike, what is best for one of them is nearly best all over the place. So each may
 * take a share of what is left before it is treated with less precision.
 */
static const double VALUES_MAX = 1e8;
static const double SHARE = 1e-3;
static const double PATIENCE_MIN = 64;

static const struct assign_spacing KNOTS = {.dense = 8192, .ratio = 256};

struct knots {
	size_t n;
	double *length, *price;
	double price_sum; /* over all intervals, with the prices between knots interpolated */
};

static void knots_release(struct knots *k)
{
	free(k->length);
	free(k->price);
}

/* Adds the prices of the intervals after a up to b, linear between these two. */
static double price_between(const struct assign_problem *p, const double *price, size_t a, size_t b)
{
	double from = assign_length(p, a), span = assign_length(p, b) - from, sum = price[b];

	for (size_t j = a + 1; j < b; j++) {
		double x = span > 0 ? (assign_length(p, j) - from) / span : 0;

		sum += price[a] + x * (price[b] - price[a]);
	}
	return sum;
}

static int knots_init(struct knots *k, const struct assign_problem *p, const double *price)
{
	size_t max = assign_knot_count(KNOTS, p->n) + 1; /* never nothing */

	*k = (struct knots){
		.length = malloc(max * sizeof(double)), .price = malloc(max * sizeof(double))};
	if (!k->length || !k->price)
		return ERR_NOMEM;
	for (size_t j = 0, last = 0; j < p->n; last = j, j = assign_next_knot(KNOTS, p->n, j)) {
		k->length[k->n] = assign_length(p, j);
		k->price[k->n++] = price[j];
		k->price_sum += j ? price_between(p, price, last, j) : price[0];
	}
	return 0;
}

/* sum_i max_j (w S(L_j) - q_j), or a little more. */
static double best_offers(
	const struct assign_problem *p, const struct menu *menu, struct menu_memo *memo)
{
	struct menu_page page = {.hint = UINT32_MAX};
	double scale = assign_scale(p), values = VALUES_MAX, sum = 0;

	page.tolerance = fmax(TOLERANCE * scale, DBL_MIN);
	for (uint32_t i = 0; i < p->n; i++) {
		struct menu_offer offer;

		page.survival = p->survival[i];
		page.weight = assign_weight(p, i);
		page.patience = (uint32_t)fmax(values * SHARE, PATIENCE_MIN);
		offer = menu_recall(menu, &page, memo);
		page.hint = offer.interval;
		values -= offer.values;
		sum += offer.limit;
	}
	return sum;
}

int assign_bound(const struct assign_problem *p, const double *price, double *ret_bound)
{
	struct knots k = {0};
	struct menu menu = {0};
	struct menu_memo *memo;
	int rc;

	if (p->n == 0) {
		*ret_bound = 0;
		return 0;
	}
	memo = calloc(1, sizeof *memo);
	rc = memo ? knots_init(&k, p, price) : ERR_NOMEM;
	if (!rc)
		rc = menu_init(&menu, k.length, k.price, k.n);
	if (!rc)
		*ret_bound = k.price_sum + best_offers(p, &menu, memo);
	free(memo);
	menu_release(&menu);
	knots_release(&k);
	return rc;
}

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
