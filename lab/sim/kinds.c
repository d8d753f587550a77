#include "sim/kinds.h"

#include <math.h>
#include <stdlib.h>

#include "base/vec.h"

enum {
	LIST_ENTRIES = 10,
	NARROW_LINKS = 2,
};

struct edge {
	uint32_t from, to;
};

VEC_DECLARE(edges, struct edge);

static int add(struct edges *e, uint64_t from, uint64_t to)
{
	return edges_push(e, (struct edge){(uint32_t)from, (uint32_t)to});
}

/* Every page names the home page, every article another one. */
static int link_sections(struct edges *e, struct rng *rng, uint32_t n)
{
	uint32_t sections = (uint32_t)lround(sqrt(n));
	int rc = 0;

	for (uint32_t i = 1; rc == 0 && i < n; i++) {
		rc = add(e, i <= sections ? 0 : 1 + rng_below(rng, sections), i);
		if (rc == 0)
			rc = add(e, i, 0);
		if (rc == 0 && i > sections)
			rc = add(e, i, sections + 1 + rng_below(rng, n - sections - 1));
	}
	return rc;
}

/* Pages in stretches of a list and its entries. */
static int link_lists(struct edges *e, struct rng *rng, uint32_t n)
{
	int rc = 0;

	(void)rng;
	for (uint32_t i = 1; rc == 0 && i < n; i++) {
		uint32_t list = i - i % (LIST_ENTRIES + 1);

		rc = add(e, i > list ? list : i - (LIST_ENTRIES + 1), i);
	}
	return rc;
}

/* The page whose link is copied is one that a link of before stands in, or any. */
static int link_copied(struct edges *e, struct rng *rng, uint32_t n)
{
	int rc = 0;

	for (uint32_t i = 1; rc == 0 && i < n; i++) {
		bool copy = e->len > 0 && rng_below(rng, 2);

		rc = add(e, copy ? e->ptr[rng_below(rng, e->len)].from : rng_below(rng, i), i);
		if (rc == 0)
			rc = add(e, i, e->ptr[rng_below(rng, e->len)].to);
	}
	return rc;
}

static int link_narrow(struct edges *e, struct rng *rng, uint32_t n)
{
	uint32_t *open = malloc(n * sizeof *open);
	uint32_t left = 1;
	int rc = open ? 0 : ERR_NOMEM;

	if (open)
		open[0] = 0;
	for (uint32_t i = 1; rc == 0 && i < n;) {
		uint32_t at = (uint32_t)rng_below(rng, left), parent = open[at];

		open[at] = open[--left];
		for (unsigned k = 0; rc == 0 && k < NARROW_LINKS && i < n; k++, i++) {
			rc = add(e, parent, i);
			open[left++] = i;
		}
	}
	free(open);
	return rc;
}

static int link_flat(struct edges *e, struct rng *rng, uint32_t n)
{
	int rc = 0;

	(void)rng;
	for (uint32_t i = 1; rc == 0 && i < n; i++)
		rc = add(e, 0, i);
	return rc;
}

static int link_random(struct edges *e, struct rng *rng, uint32_t n)
{
	int rc = 0;

	for (uint32_t i = 1; rc == 0 && i < n; i++) {
		rc = add(e, rng_below(rng, i), i);
		if (rc == 0)
			rc = add(e, rng_below(rng, n), rng_below(rng, n));
	}
	return rc;
}

static int (*const LINK[])(struct edges *e, struct rng *rng, uint32_t n) = {
	[KIND_SECTIONS] = link_sections,
	[KIND_LISTS] = link_lists,
	[KIND_COPIED] = link_copied,
	[KIND_NARROW] = link_narrow,
	[KIND_FLAT] = link_flat,
	[KIND_RANDOM] = link_random,
};

/* Links of a page stand in a random order. */
static int lay_links(struct site *site, const struct edges *e, struct rng *rng)
{
	size_t *next;

	site->link_from = calloc(site->n + 2, sizeof *site->link_from);
	site->links = malloc((e->len + 1) * sizeof *site->links);
	if (!site->link_from || !site->links)
		return ERR_NOMEM;
	next = site->link_from + 1;
	for (size_t i = 0; i < e->len; i++)
		next[e->ptr[i].from + 1]++;
	for (size_t i = 1; i <= site->n; i++)
		next[i] += next[i - 1];
	for (size_t i = 0; i < e->len; i++)
		site->links[next[e->ptr[i].from]++] = e->ptr[i].to;
	for (size_t i = 0; i < site->n; i++)
		rng_shuffle(rng, site->links + site->link_from[i],
			site->link_from[i + 1] - site->link_from[i], sizeof *site->links);
	return 0;
}

/* Clicks from the home page, by page. */
static int measure_depths(const struct site *site, double *depths)
{
	static const uint32_t HOME[] = {0};
	struct u32_vec list = {0}, rest = {0};
	int rc = site_reach(site, HOME, 1, &list, &rest);

	for (size_t i = 0; rc == 0 && i < site->n; i++)
		depths[i] = INFINITY;
	if (rc == 0)
		depths[0] = 0;
	for (size_t i = 0; rc == 0 && i < list.len; i++) {
		uint32_t page = list.ptr[i];

		for (size_t k = site->link_from[page]; k < site->link_from[page + 1]; k++)
			depths[site->links[k]] = fmin(depths[site->links[k]], depths[page] + 1);
	}
	u32_vec_release(&list);
	u32_vec_release(&rest);
	return rc;
}

/* A page that leads further away from the home page in more than one way. */
static bool is_list(const struct site *site, const double *depths, size_t page)
{
	size_t deeper = 0;

	for (size_t i = site->link_from[page]; i < site->link_from[page + 1]; i++)
		deeper += depths[site->links[i]] > depths[page];
	return deeper > 1;
}

static double draw_rate(const struct kind *kind, struct rng *rng, bool list, double depth)
{
	static const double PARETO = 1.2, STEP = 3, LIST = 20, DEEP = 6;
	double u = 1 - rng_double(rng), normal = rng_normal(rng);

	switch (kind->rates) {
	case KIND_PARETO:
		return pow(u, -1 / PARETO);
	case KIND_GAMMA:
		return normal * normal / 2;
	case KIND_HOT_LISTS:
		return exp(normal) * (list ? LIST : 1);
	case KIND_COLD_TOP:
		return exp(normal) * pow(STEP, fmin(depth, DEEP));
	case KIND_HOT_TOP:
		return exp(normal) * pow(STEP, -fmin(depth, DEEP));
	}
	return 1;
}

static int draw_rates(const struct kind *kind, struct rng *rng, struct site *site)
{
	double *depths = malloc(site->n * sizeof *depths);
	double sum = 0, scale;
	int rc = ERR_NOMEM;

	site->survival = malloc(site->n * sizeof *site->survival);
	if (depths && site->survival)
		rc = measure_depths(site, depths);
	for (size_t i = 0; rc == 0 && i < site->n; i++) {
		bool list = is_list(site, depths, i);

		site->survival[i] = survival_poisson(draw_rate(kind, rng, list, depths[i]));
		sum += site->survival[i].rate;
	}
	scale = kind->changes * (double)site->n / sum / (2 * (double)site->n - 1);
	for (size_t i = 0; rc == 0 && i < site->n; i++)
		site->survival[i].rate *= scale;
	free(depths);
	return rc;
}

int kind_site(const struct kind *kind, struct rng *rng, struct site *ret_site)
{
	struct site site = {.n = kind->n};
	struct edges edges = {0};
	int rc = LINK[kind->links](&edges, rng, kind->n);

	if (rc == 0)
		rc = lay_links(&site, &edges, rng);
	if (rc == 0)
		rc = draw_rates(kind, rng, &site);
	edges_release(&edges);
	if (rc)
		site_release(&site);
	else
		*ret_site = site;
	return rc;
}
