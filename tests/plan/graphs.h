/*
 * Sites for the tests of this room: change rates of many kinds, random graphs, the trees of the
 * papers' experiments; and a capture of such a site, download by download, with what it may be
 * expected to yield. Seeds are fixed, so a failure comes back.
 */
#ifndef TESTS_PLAN_GRAPHS_H
#define TESTS_PLAN_GRAPHS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "plan/plan.h"
#include "sim/synthetic.h"
#include "tap.h"

/* Zeroed memory; a test without memory has nothing to say. */
static inline void *need(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size);

	if (!p)
		abort();
	return p;
}

static inline double between(struct rng *rng, double low, double high)
{
	return low + (high - low) * rng_double(rng);
}

static inline double power_between(struct rng *rng, double low, double high)
{
	return pow(10, between(rng, low, high));
}

/* Links of page i: links[from[i]] up to from[i + 1]. */
struct graph {
	size_t n;
	double *rate;
	float *weight; /* NULL: all 1 */
	size_t *from;
	uint32_t *links;
};

struct edge {
	uint32_t from, to;
};

/* Pages that never change; the links of a page in the order of its edges. */
static inline struct graph graph_new(size_t n, const struct edge *edges, size_t count)
{
	struct graph g = {
		.n = n,
		.rate = need(n, sizeof *g.rate),
		.from = need(n + 2, sizeof *g.from),
		.links = need(count, sizeof *g.links),
	};

	for (size_t i = 0; i < count; i++)
		g.from[edges[i].from + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		g.from[i] += g.from[i - 1];
	for (size_t i = 0; i < count; i++)
		g.links[g.from[edges[i].from + 1]++] = edges[i].to;
	return g;
}

static inline void graph_release(struct graph *g)
{
	free(g->rate);
	free(g->weight);
	free(g->from);
	free(g->links);
}

/* Every page can be reached from page 0; more edges lead anywhere, also back and to itself. */
static inline struct graph graph_random(struct rng *rng, size_t n, size_t more)
{
	size_t count = n + more;
	struct edge *edges = need(count, sizeof *edges);
	struct graph g;

	for (size_t i = 0; i < count; i++) {
		uint32_t to = (uint32_t)(i < n ? i : rng_below(rng, n));
		uint32_t from = (uint32_t)rng_below(rng, i < n && i > 0 ? i : n);

		edges[i] = (struct edge){from, to};
	}
	g = graph_new(n, edges, count);
	for (size_t i = 0; i < n; i++)
		rng_shuffle(rng, g.links + g.from[i], g.from[i + 1] - g.from[i], sizeof *g.links);
	free(edges);
	return g;
}

static inline struct graph graph_from_parents(size_t n, uint32_t (*parent)(uint32_t page))
{
	struct edge *edges = need(n, sizeof *edges);
	struct graph g;

	for (uint32_t i = 1; i < n; i++)
		edges[i - 1] = (struct edge){parent(i), i};
	g = graph_new(n, edges, n ? n - 1 : 0);
	free(edges);
	return g;
}

enum rates {
	RATES_WIDE,   /* over twelve decades */
	RATES_NARROW, /* over three: where most decisions are close */
	RATES_EQUAL,
	RATES_ZIPF,
	RATES_FEW,   /* three values: ties */
	RATES_STILL, /* half of the pages never change */
	RATES_KINDS,
};

static const char *const rates_name[] = {"wide", "narrow", "equal", "zipf", "few", "still"};

static inline void graph_set_rates(struct graph *g, struct rng *rng, enum rates kind)
{
	double equal = power_between(rng, -4, 1), skew = between(rng, 0.5, 2);

	for (size_t i = 0; i < g->n; i++) {
		double narrow = power_between(rng, -3, 0);
		double one_of_three = equal * (double)(1 + rng_below(rng, 3));

		switch (kind) {
		case RATES_WIDE:
			g->rate[i] = power_between(rng, -9, 3);
			break;
		case RATES_EQUAL:
			g->rate[i] = equal;
			break;
		case RATES_ZIPF:
			g->rate[i] = pow((double)(1 + rng_below(rng, g->n)), -skew);
			break;
		case RATES_FEW:
			g->rate[i] = one_of_three;
			break;
		case RATES_STILL:
			g->rate[i] = rng_below(rng, 2) ? narrow : 0;
			break;
		default:
			g->rate[i] = narrow;
		}
	}
}

static inline void graph_set_synthetic(struct graph *g, struct synthetic spec)
{
	spec.n = (uint32_t)g->n;
	synthetic_fill_rates(&spec, g->rate);
}

/* SOLAR section 6: page 0 is the hottest. */
static inline void graph_set_skewed(struct graph *g)
{
	graph_set_synthetic(g, (struct synthetic){.rates = SYNTHETIC_SKEWED});
}

static inline void graph_set_smooth(struct graph *g)
{
	graph_set_synthetic(g, (struct synthetic){.rates = SYNTHETIC_SMOOTH});
}

/* SHARC section 9.3: page 0 is the hottest. */
static inline void graph_set_zipf(struct graph *g, double skew)
{
	graph_set_synthetic(g, (struct synthetic){.skew = skew});
}

/* A site of the papers; see sim/synthetic.h. */
static inline struct graph graph_synthetic(const struct synthetic *spec, struct rng *rng)
{
	struct graph g = {.n = spec->n, .rate = need(spec->n, sizeof *g.rate)};
	struct site site;

	if (synthetic_site(spec, rng, &site))
		abort();
	for (size_t i = 0; i < g.n; i++)
		g.rate[i] = site.survival[i].rate;
	g.from = site.link_from;
	g.links = site.links;
	site.link_from = NULL;
	site.links = NULL;
	site_release(&site);
	return g;
}

/* SOLAR section 6: p0 has 20 children, p1 to p98 have 10 each. */
static inline struct graph graph_solar_tree(void)
{
	return graph_synthetic(&(struct synthetic){.n = 1000, .outdegree = 10, .root = 20}, NULL);
}

/*
 * SHARC section 9.6: a complete tree with 400 links a page, in random order. Cold leaves: the
 * hottest page is the root; hot leaves: the coldest is.
 */
static inline struct graph graph_sharc_tree(size_t n, bool hot_leaves)
{
	struct synthetic spec = {SYNTHETIC_DEFAULTS};
	struct rng rng;

	rng_init(&rng, 400);
	spec.n = (uint32_t)n;
	spec.leaves = hot_leaves ? SYNTHETIC_HOT : SYNTHETIC_COLD;
	return graph_synthetic(&spec, &rng);
}

/* NULL, and a failed check, when there is none. */
static inline struct plan_run *run_new(const struct plan_params *params)
{
	struct err err = {0};
	struct plan_run *run = plan_run_new(params, &err);

	if (!CHECK(run))
		tap_note("%s", err.text);
	return run;
}

struct capture {
	size_t visit_count, revisit_count;
	uint32_t *visits, *revisits;
	bool *hopeless; /* by page */
};

static inline void capture_release(struct capture *c)
{
	free(c->visits);
	free(c->revisits);
	free(c->hopeless);
}

static inline void capture_discover(struct plan_run *run, const struct graph *g, uint32_t page)
{
	float weight = g->weight ? g->weight[page] : 1;

	CHECK_INT(plan_discovered(run, page, survival_poisson(g->rate[page]), weight), 0);
}

/*
 * One download after another, a step apart, none of which fails. Offline strategies know all pages
 * beforehand, in the order of their numbers; the others begin with page 0.
 */
static inline struct capture capture_run(
	const struct graph *g, const struct plan_params *params, double step)
{
	struct capture c = {
		.visits = need(g->n, sizeof *c.visits),
		.revisits = need(g->n, sizeof *c.revisits),
		.hopeless = need(g->n, sizeof *c.hopeless),
	};
	struct plan_run *run = run_new(params);
	struct plan_order o;
	size_t slot = 0;

	if (!run)
		return c;
	for (uint32_t i = 0; i < (params->strategy->offline ? g->n : g->n > 0); i++)
		capture_discover(run, g, i);
	while (plan_next(run, step * (double)(slot ? slot - 1 : 0), &o) == PLAN_ORDER) {
		bool first_revisit = o.leg == PLAN_REVISIT && c.revisit_count == 0;
		double at;

		if (!CHECK(o.leg == PLAN_VISIT ? c.visit_count < g->n : c.revisit_count < g->n))
			break;
		slot += !(first_revisit && params->strategy->shared_slot);
		at = step * (double)(slot - 1);
		if (o.leg == PLAN_VISIT) {
			c.visits[c.visit_count++] = o.page;
			c.hopeless[o.page] = o.hopeless;
			for (size_t i = g->from[o.page]; i < g->from[o.page + 1]; i++)
				capture_discover(run, g, g->links[i]);
		} else {
			c.revisits[c.revisit_count++] = o.page;
		}
		plan_done(run, &o, PLAN_OK, at, at);
	}
	CHECK_INT(plan_error(run), 0);
	plan_run_free(run);
	return c;
}

/*
 * Expected number of coherent pages (SHARC Definition 5), by weight. Where one page holds both
 * slots 0 the first revisit is at the instant of the last visit, else a step after it.
 */
static inline double capture_coherence(
	const struct graph *g, const struct capture *c, bool shared_slot, double step)
{
	double *visit = need(g->n, sizeof *visit), sum = 0;

	for (size_t i = 0; i < c->visit_count; i++)
		visit[c->visits[i]] = (double)i;
	for (size_t i = 0; i < c->revisit_count; i++) {
		uint32_t page = c->revisits[i];
		double at = (double)(c->visit_count - shared_slot + i);

		sum += (g->weight ? (double)g->weight[page] : 1) *
		       exp(-g->rate[page] * step * (at - visit[page]));
	}
	free(visit);
	return sum;
}

/* Captures the site and gives its expected coherence; step is the delay of the parameters. */
static inline double expected_coherence(const struct graph *g, const struct plan_params *params)
{
	struct capture c = capture_run(g, params, params->delay);
	double sum = capture_coherence(g, &c, params->strategy->shared_slot, params->delay);

	CHECK_INT(c.visit_count, g->n);
	CHECK_INT(c.revisit_count, g->n);
	capture_release(&c);
	return sum;
}

#endif
