/*
 * A page precedes all pages that are found only through it. If there are D of them, it is visited
 * at least D slots before the barrier, so its interval has at least D slots, however the revisits
 * are ordered.
 *
 * Let T_i be S_i from D_i slots on, and its tangent there below. T_i is convex, so the best nested
 * assignment of all pages with T in place of S bounds the sum of T_i(L_i) over all schedules
 * (docs/planning.md); and on every schedule that discovers its pages T_i(L_i) = S_i(L_i). The
 * tangent lies below S_i, so the bound is at most that of known pages.
 *
 * Any prices q give an upper bound on the assignment: sum q_j + sum max_j (T_ij - q_j). Those of
 * the problem without discovery are a good start. Only the pages with D > 0 differ, and they are
 * assigned anew along shortest augmenting paths.
 *
 * Dominators: the iterative algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance
 * Algorithm").
 */
#include "sim/discovery.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "plan/assign.h"
#include "plan/measure.h"

static const uint32_t NONE = UINT32_MAX;

/* Pages by their number in reverse postorder of a depth-first search, and who links to them. */
struct graph {
	const struct site *site;
	size_t reached;
	uint32_t *page_at; /* by number */
	uint32_t *number;  /* by page; NONE: not reached */
	uint32_t *idom;    /* immediate dominator, by number */
	size_t *in_from;   /* links to page i: in[in_from[i]] up to in_from[i + 1] */
	uint32_t *in;
	size_t *next; /* scratch, by page */
	uint32_t *stack;
};

static int graph_init(struct graph *g, const struct site *site)
{
	size_t n = site->n, links = site->link_from[n];

	*g = (struct graph){
		.site = site,
		.page_at = malloc((n + 1) * sizeof *g->page_at),
		.number = malloc((n + 1) * sizeof *g->number),
		.idom = malloc((n + 1) * sizeof *g->idom),
		.in_from = calloc(n + 2, sizeof *g->in_from),
		.in = malloc((links + 1) * sizeof *g->in),
		.next = malloc((n + 1) * sizeof *g->next),
		.stack = malloc((n + 1) * sizeof *g->stack),
	};
	return g->page_at && g->number && g->idom && g->in_from && g->in && g->next && g->stack
		       ? 0
		       : ERR_NOMEM;
}

static void graph_release(struct graph *g)
{
	free(g->page_at);
	free(g->number);
	free(g->idom);
	free(g->in_from);
	free(g->in);
	free(g->next);
	free(g->stack);
}

static void turn_links(struct graph *g)
{
	const struct site *s = g->site;
	size_t *end = g->in_from + 1;

	for (size_t k = 0; k < s->link_from[s->n]; k++)
		end[s->links[k] + 1]++;
	for (size_t i = 1; i <= s->n; i++)
		end[i] += end[i - 1];
	for (uint32_t i = 0; i < s->n; i++)
		for (size_t k = s->link_from[i]; k < s->link_from[i + 1]; k++)
			g->in[end[s->links[k]]++] = i;
}

/* Depth first from page 0; the page that is left last gets number 0. */
static void number_pages(struct graph *g)
{
	const struct site *s = g->site;
	size_t depth = 1, left = s->n;

	for (size_t i = 0; i < s->n; i++) {
		g->number[i] = NONE;
		g->next[i] = s->link_from[i];
	}
	g->stack[0] = 0;
	g->number[0] = 0; /* seen */
	while (depth > 0) {
		uint32_t page = g->stack[depth - 1];

		if (g->next[page] == s->link_from[page + 1]) {
			g->page_at[--left] = page;
			depth--;
		} else {
			uint32_t to = s->links[g->next[page]++];

			if (g->number[to] == NONE) {
				g->number[to] = 0;
				g->stack[depth++] = to;
			}
		}
	}
	g->reached = s->n - left;
	for (size_t k = 0; k < g->reached; k++) {
		g->page_at[k] = g->page_at[left + k];
		g->number[g->page_at[k]] = (uint32_t)k;
	}
}

static uint32_t intersect(const struct graph *g, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (a > b)
			a = g->idom[a];
		while (b > a)
			b = g->idom[b];
	}
	return a;
}

/* The nearest page that all ways to the k-th one pass, as far as is known. */
static uint32_t dominator(const struct graph *g, uint32_t k)
{
	uint32_t page = g->page_at[k], found = NONE;

	for (size_t i = g->in_from[page]; i < g->in_from[page + 1]; i++) {
		uint32_t from = g->number[g->in[i]];

		if (from == NONE || g->idom[from] == NONE)
			continue;
		found = found == NONE ? from : intersect(g, found, from);
	}
	return found;
}

static void find_dominators(struct graph *g)
{
	bool changed = true;

	for (size_t k = 0; k < g->reached; k++)
		g->idom[k] = NONE;
	g->idom[0] = 0;
	while (changed) {
		changed = false;
		for (uint32_t k = 1; k < g->reached; k++) {
			uint32_t found = dominator(g, k);

			changed = changed || found != g->idom[k];
			g->idom[k] = found;
		}
	}
}

int discovery_behind(const struct site *site, uint32_t *behind)
{
	struct graph g;
	int rc;

	if (site->n == 0)
		return 0;
	rc = graph_init(&g, site);
	for (size_t i = 0; i < site->n; i++)
		behind[i] = 0;
	if (rc == 0) {
		turn_links(&g);
		number_pages(&g);
		find_dominators(&g);
		for (size_t k = g.reached; k-- > 1;)
			behind[g.page_at[g.idom[k]]] += behind[g.page_at[k]] + 1;
	}
	graph_release(&g);
	return rc;
}

/* An assignment problem whose pages have at least so many slots. */
struct problem {
	const struct site *site;
	double delay;
	uint32_t *behind;  /* by page */
	double *price;     /* by interval */
	uint32_t *page_of; /* by interval; NONE: free */
	/* Of a search: */
	double *distance; /* by interval */
	uint32_t *from;   /* the interval before it on the path; NONE: the page that begins it */
	bool *done;
};

static double value(const struct problem *p, uint32_t page, size_t interval)
{
	struct survival s = p->site->survival[page];
	double least = p->delay * p->behind[page], length = 2 * p->delay * (double)interval;
	double alive;

	if (length >= least)
		return (double)site_weight(p->site, page) * survival_at(s, length);
	/* S' = -S times the rate of what is left of its life. */
	s = survival_after(s, least, &alive);
	return (double)site_weight(p->site, page) * alive * (1 + s.rate * (least - length));
}

static double surplus(const struct problem *p, uint32_t page, size_t interval)
{
	return value(p, page, interval) - p->price[interval];
}

static double best_surplus(const struct problem *p, uint32_t page)
{
	double best = -INFINITY;

	for (size_t j = 0; j < p->site->n; j++)
		best = fmax(best, surplus(p, page, j));
	return best;
}

static void search_init(struct problem *p)
{
	for (size_t j = 0; j < p->site->n; j++) {
		p->distance[j] = INFINITY;
		p->done[j] = false;
		p->from[j] = NONE;
	}
}

/* Shortens the ways that go over a page, which is on interval at; the nearest interval not done. */
static size_t relax(struct problem *p, uint32_t page, uint32_t at, double base)
{
	double own = at == NONE ? best_surplus(p, page) : surplus(p, page, at);
	size_t n = p->site->n, nearest = n;

	for (size_t j = 0; j < n; j++) {
		double d;

		if (p->done[j])
			continue;
		d = base + own - surplus(p, page, j);
		if (d < p->distance[j]) {
			p->distance[j] = d;
			p->from[j] = at;
		}
		if (nearest == n || p->distance[j] < p->distance[nearest])
			nearest = j;
	}
	assert(nearest < n); /* one is free, so not all are done */
	return nearest;
}

/* The cheapest way from a page to a free interval, which is there; its end. */
static uint32_t search(struct problem *p, uint32_t page)
{
	uint32_t at = NONE;
	double base = 0;

	search_init(p);
	while (page != NONE) {
		at = (uint32_t)relax(p, page, at, base);
		p->done[at] = true;
		base = p->distance[at];
		page = p->page_of[at];
	}
	return at;
}

/* Assigns a page and moves others along the way; prices of the intervals before its end rise. */
static void augment(struct problem *p, uint32_t page)
{
	uint32_t j = search(p, page);

	for (size_t k = 0; k < p->site->n; k++)
		if (p->done[k])
			p->price[k] += p->distance[j] - p->distance[k];
	for (; p->from[j] != NONE; j = p->from[j])
		p->page_of[j] = p->page_of[p->from[j]];
	p->page_of[j] = page;
}

/* The best assignment of known pages, with its prices. */
static int solve_known(struct problem *p)
{
	struct assign_problem known = {.n = p->site->n,
		.survival = p->site->survival,
		.weight = p->site->weights,
		.step = 2 * p->delay};
	double bound;
	int rc = assign_start(&known, p->page_of);

	if (rc == 0)
		rc = assign_prices(&known, p->page_of, p->price);
	if (rc == 0 && known.n <= DISCOVERY_EXACT_MAX)
		rc = assign_exact(&known, known.n, p->page_of, p->price, &bound);
	return rc == ERR_LIMIT ? 0 : rc;
}

static void assign_anew(struct problem *p)
{
	for (size_t j = 0; j < p->site->n; j++) {
		uint32_t page = p->page_of[j];

		if (p->behind[page] == 0)
			continue;
		p->page_of[j] = NONE;
		augment(p, page);
	}
}

static double certify(const struct problem *p)
{
	struct sum sum = {0};

	for (uint32_t i = 0; i < p->site->n; i++) {
		sum_add(&sum, best_surplus(p, i));
		sum_add(&sum, p->price[i]);
	}
	return sum_value(&sum);
}

int discovery_bound(const struct site *site, double delay, double *ret_bound)
{
	size_t n = site->n;
	struct problem p = {
		.site = site,
		.delay = delay,
		.behind = calloc(n + 1, sizeof *p.behind),
		.price = calloc(n + 1, sizeof *p.price),
		.page_of = calloc(n + 1, sizeof *p.page_of),
		.distance = calloc(n + 1, sizeof *p.distance),
		.from = calloc(n + 1, sizeof *p.from),
		.done = calloc(n + 1, sizeof *p.done),
	};
	int rc = p.behind && p.price && p.page_of && p.distance && p.from && p.done ? 0 : ERR_NOMEM;

	if (rc == 0)
		rc = discovery_behind(site, p.behind);
	if (rc == 0)
		rc = solve_known(&p);
	if (rc == 0 && n <= DISCOVERY_EXACT_MAX)
		assign_anew(&p);
	if (rc == 0)
		*ret_bound = certify(&p);
	free(p.behind);
	free(p.price);
	free(p.page_of);
	free(p.distance);
	free(p.from);
	free(p.done);
	return rc;
}
