#include "sim/order_study.h"

#include <stdlib.h>

#include "plan/rank_graph.h"

static const char *const RIVALS[] = {"random", "oracle", "ideal"};

const char *order_study_name(unsigned kind)
{
	if (kind < ORDER_RANDOM)
		return RANK_ORDERS[kind];
	return kind < ORDER_RIVALS ? RIVALS[kind - ORDER_RANDOM] : NULL;
}

struct crawl {
	const struct order_web *web;
	unsigned kind;
	struct rng *rng;
	struct rank_order order;
	double *hint; /* by page */
	bool *known;
	struct u32_vec targets;
};

static int discover(struct crawl *c, uint32_t page)
{
	int rc;

	if (c->known[page])
		return 0;
	c->known[page] = true;
	rc = rank_order_known(&c->order, page, c->hint[page]);
	return rc ? rc : rank_order_wait(&c->order, page, c->web->host ? c->web->host[page] : 0, 0);
}

static int visit(struct crawl *c, uint32_t page)
{
	const struct rank_links *out = &c->web->graph->out;
	int rc = 0;

	c->targets.len = 0;
	rc = u32_vec_add(&c->targets, out->to + out->from[page], rank_links_count(out, page));
	rank_links_tidy(page, &c->targets);
	for (size_t i = 0; rc == 0 && i < c->targets.len; i++)
		rc = discover(c, c->targets.ptr[i]);
	return rc ? rc : rank_order_fetched(&c->order, page, c->targets.ptr, c->targets.len);
}

/* Priorities as sites give them: 1 for the seeds, less with every link. */
static int set_priorities(struct crawl *c)
{
	const struct rank_links *out = &c->web->graph->out;
	struct u32_vec queue = {0};
	int rc = u32_vec_add(&queue, c->web->seeds.ptr, c->web->seeds.len);

	for (size_t i = 0; i < queue.len; i++)
		c->hint[queue.ptr[i]] = 1;
	for (size_t at = 0; rc == 0 && at < queue.len; at++) {
		uint32_t page = queue.ptr[at];

		for (size_t k = out->from[page]; rc == 0 && k < out->from[page + 1]; k++)
			if (c->hint[out->to[k]] == 0) {
				c->hint[out->to[k]] = c->hint[page] / (1 + c->hint[page]);
				rc = u32_vec_push(&queue, out->to[k]);
			}
	}
	u32_vec_release(&queue);
	return rc;
}

static int set_hints(struct crawl *c)
{
	size_t n = c->web->graph->n;

	if (c->kind == RANK_SITEMAP)
		return set_priorities(c);
	for (size_t i = 0; i < n; i++)
		c->hint[i] = c->kind == ORDER_RANDOM   ? rng_double(c->rng)
			     : c->kind == ORDER_ORACLE ? c->web->rank[i] * (double)n
						       : 0;
	for (size_t i = 0; c->kind == RANK_OPIC && i < c->web->seeds.len; i++)
		c->hint[c->web->seeds.ptr[i]] = 1;
	return 0;
}

static int run(struct crawl *c, uint32_t *order, size_t *count)
{
	uint32_t page;
	int rc = set_hints(c);

	for (size_t i = 0; rc == 0 && i < c->web->seeds.len; i++)
		rc = discover(c, c->web->seeds.ptr[i]);
	for (uint32_t i = 0; rc == 0 && c->kind == RANK_SITEMAP && i < c->web->graph->n; i++)
		rc = discover(c, i);
	while (rc == 0 && rank_order_take(&c->order, &page)) {
		order[(*count)++] = page;
		rc = visit(c, page);
	}
	return rc;
}

/* ---- the ideal ---- */

struct ranked {
	double rank;
	uint32_t page;
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return x->page < y->page ? -1 : x->page > y->page;
}

static int sort_all(const struct order_web *web, uint32_t *order)
{
	size_t n = web->graph->n;
	struct ranked *all = calloc(n + 1, sizeof *all);

	if (!all)
		return ERR_NOMEM;
	for (uint32_t i = 0; i < n; i++)
		all[i] = (struct ranked){web->rank[i], i};
	qsort(all, n, sizeof *all, by_rank);
	for (size_t i = 0; i < n; i++)
		order[i] = all[i].page;
	free(all);
	return 0;
}

int order_study_crawl(const struct order_web *web, unsigned kind, struct rng *rng, uint32_t *order,
	size_t *ret_count)
{
	struct crawl c = {.web = web, .kind = kind, .rng = rng};
	int rc;

	*ret_count = kind == ORDER_IDEAL ? web->graph->n : 0;
	if (kind == ORDER_IDEAL)
		return sort_all(web, order);
	rank_order_init(&c.order, kind < ORDER_RANDOM ? (enum rank_order_kind)kind : RANK_WEIGHTS);
	c.hint = calloc(web->graph->n + 1, sizeof *c.hint);
	c.known = calloc(web->graph->n + 1, sizeof *c.known);
	rc = c.hint && c.known ? run(&c, order, ret_count) : ERR_NOMEM;
	rank_order_release(&c.order);
	u32_vec_release(&c.targets);
	free(c.hint);
	free(c.known);
	return rc;
}

double order_study_mass(
	const struct order_web *web, const uint32_t *order, size_t count, double share)
{
	size_t first = (size_t)(share * (double)web->graph->n + 0.5);
	double sum = 0;

	for (size_t i = 0; i < first && i < count; i++)
		sum += web->rank[order[i]];
	return sum;
}
