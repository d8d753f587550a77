#include "sim/power_web.h"

#include <math.h>

/* Runs of pages: the h-th host has about 1 / h of the first one's. */
static int place(struct power_web *w, const struct power_web_params *p)
{
	double sum = 0, end = 0;
	uint32_t host = 0;
	int rc = 0;

	for (uint32_t h = 0; h < p->hosts; h++)
		sum += 1 / (double)(h + 1);
	end = (double)p->pages / sum;
	for (size_t i = 0; rc == 0 && i < p->pages; i++) {
		while (host + 1 < p->hosts && (double)i >= end)
			end += (double)p->pages / sum / (double)(++host + 1);
		rc = u32_vec_push(&w->host, host);
	}
	return rc;
}

/* A random page near another one, in the run of its host mostly. */
static uint32_t nearby(const struct power_web *w, const struct power_web_params *p, uint32_t page)
{
	for (int tries = 0; tries < 4 && rng_below(p->rng, 2); tries++) {
		uint64_t span = 1 + p->pages / p->hosts;
		uint64_t at = page - (page < span / 2 ? page : span / 2) + rng_below(p->rng, span);

		if (at < p->pages && w->host.ptr[at] == w->host.ptr[page])
			return (uint32_t)at;
	}
	return (uint32_t)rng_below(p->rng, p->pages);
}

static uint32_t target(const struct power_web *w, const struct power_web_params *p, uint32_t page)
{
	if (w->edges.len > 0 && rng_double(p->rng) < p->copied)
		return w->edges.ptr[rng_below(p->rng, w->edges.len)].to;
	return nearby(w, p, page);
}

/* The link by which a page can be found: from a random earlier page, mostly a recent one. */
static uint32_t finder(const struct power_web_params *p, uint32_t page)
{
	uint64_t back = rng_below(p->rng, 2) ? page : (uint64_t)ceil(sqrt(page));

	return page - 1 - (uint32_t)rng_below(p->rng, back);
}

static int link_page(struct power_web *w, const struct power_web_params *p, uint32_t page)
{
	uint64_t count = rng_below(p->rng, (uint64_t)(2 * (p->links - 1)) + 1);
	int rc = 0;

	if (page > 0)
		rc = rank_edges_push(&w->edges, (struct rank_edge){finder(p, page), page});
	for (uint64_t k = 0; rc == 0 && k < count; k++)
		rc = rank_edges_push(&w->edges, (struct rank_edge){page, target(w, p, page)});
	return rc;
}

int power_web_init(struct power_web *w, const struct power_web_params *p)
{
	int rc = place(w, p);

	for (uint32_t i = 0; rc == 0 && i < p->pages; i++)
		rc = link_page(w, p, i);
	return rc;
}

void power_web_release(struct power_web *w)
{
	rank_edges_release(&w->edges);
	u32_vec_release(&w->host);
}
