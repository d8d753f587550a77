#include "rank/order.h"

#include <math.h>
#include <stdlib.h>

#include "rank/pagerank.h"

const char *const RANK_ORDERS[] = {"none", "breadth", "indegree", "pagerank", "opic", "sitemap",
	"site-backlog", "weights", NULL};

/* PageRank of a part of the graph is a guess at that of the whole: this is near enough. */
static const double RANK_ERROR = 1e-3;
static const double RANK_GROWTH = 1.25;
static const double RANK_SCALE = 1e6;

/* Weights for the planner: no page is worth nothing, none more than so many others. */
static const double WEIGHT_MIN = 0.01, WEIGHT_MAX = 1e6;

enum {
	RANK_LINKS_MIN = 64, /* PageRank is not computed for fewer new links */
	OPIC_TURNS = 2, /* fetched pages that give their cash on, for each page that is fetched */
};

void rank_order_init(struct rank_order *o, enum rank_order_kind kind)
{
	*o = (struct rank_order){.kind = kind};
	if (kind == RANK_SITE_BACKLOG)
		o->frontier.by = RANK_HOSTS_BACKLOG;
}

void rank_order_release(struct rank_order *o)
{
	rank_frontier_release(&o->frontier);
	rank_keys_release(&o->score);
	rank_keys_release(&o->past);
	u32_vec_release(&o->level);
	u32_vec_release(&o->start);
	u32_vec_release(&o->links);
	heap_release(&o->rich);
	*o = (struct rank_order){0};
}

static bool needs_links(const struct rank_order *o)
{
	return o->kind == RANK_PAGERANK || o->kind == RANK_OPIC;
}

/* Level and score in one number: scores lie in [0, 1) then. */
static double key_of(void *context, uint32_t page)
{
	const struct rank_order *o = context;
	double score = o->score.ptr[page];

	/* Ranks are far below 1: without the factor their differences would be lost. */
	if (needs_links(o))
		score *= RANK_SCALE;
	return o->level.ptr[page] + (isfinite(score) ? score / (1 + score) : 1 - 1e-9);
}

static bool is_fetched(const struct rank_order *o, uint32_t page)
{
	return o->start.ptr[page] > 0;
}

static int add_known(struct rank_order *o)
{
	int rc = rank_keys_reserve(&o->score, 1);

	if (rc == 0)
		rc = u32_vec_reserve(&o->level, 1);
	if (rc == 0)
		rc = u32_vec_reserve(&o->start, 1);
	if (rc == 0 && o->kind == RANK_OPIC)
		rc = rank_keys_push(&o->past, 0);
	if (rc == 0 && o->kind == RANK_OPIC)
		rc = heap_reserve(&o->rich, o->known + 1);
	if (rc)
		return rc;
	o->score.ptr[o->score.len++] = 0;
	o->level.ptr[o->level.len++] = 0;
	o->start.ptr[o->start.len++] = 0;
	o->known++;
	return 0;
}

int rank_order_known(struct rank_order *o, uint32_t page, double hint)
{
	bool is_new = o->known <= page,
	     has_hint = o->kind == RANK_SITEMAP || o->kind == RANK_WEIGHTS;
	int rc = 0;

	while (rc == 0 && o->known <= page)
		rc = add_known(o);
	if (rc || !(has_hint || (is_new && o->kind == RANK_OPIC)))
		return rc;
	hint = hint > 0 ? hint : 0;
	o->sum += hint - o->score.ptr[page];
	o->score.ptr[page] = hint;
	rank_frontier_update(&o->frontier, page, key_of(o, page));
	return 0;
}

int rank_order_wait(struct rank_order *o, uint32_t page, uint32_t host, unsigned level)
{
	o->level.ptr[page] = level < RANK_LEVELS ? level : RANK_LEVELS - 1;
	return rank_frontier_add(&o->frontier, page, host, key_of(o, page));
}

void rank_order_level(struct rank_order *o, uint32_t page, unsigned level)
{
	o->level.ptr[page] = level < RANK_LEVELS ? level : RANK_LEVELS - 1;
	rank_frontier_update(&o->frontier, page, key_of(o, page));
}

bool rank_order_take(struct rank_order *o, uint32_t *ret_page)
{
	return rank_frontier_take(&o->frontier, ret_page);
}

static void raise(struct rank_order *o, uint32_t page, double by)
{
	o->score.ptr[page] += by;
	o->sum += by;
	rank_frontier_update(&o->frontier, page, key_of(o, page));
}

/* How many links a fetched page has, and then they. */
static const uint32_t *links_of(const struct rank_order *o, uint32_t page)
{
	return o->links.ptr + o->start.ptr[page] - 1;
}

/* ---- opic ---- */

/* Smallest first: so much is less than nothing. */
static struct heap_key riches(const struct rank_order *o, uint32_t page)
{
	return (struct heap_key){-o->score.ptr[page], page};
}

/* A fetched page gives its cash to those it links to; a page without links keeps it for good. */
static void give_cash(struct rank_order *o, uint32_t page)
{
	const uint32_t *links = links_of(o, page);
	double cash = o->score.ptr[page];

	o->past.ptr[page] += cash;
	o->score.ptr[page] = 0;
	(void)heap_remove(&o->rich, page);
	for (uint32_t i = 1; i <= links[0]; i++) {
		uint32_t to = links[i];

		o->score.ptr[to] += cash / links[0];
		if (!is_fetched(o, to))
			rank_frontier_update(&o->frontier, to, key_of(o, to));
		else if (!heap_update(&o->rich, to, riches(o, to)))
			(void)!heap_push(&o->rich, to, riches(o, to));
	}
}

static void take_turns(struct rank_order *o, uint32_t page)
{
	uint32_t rich;

	give_cash(o, page);
	for (int i = 0; i < OPIC_TURNS && heap_peek(&o->rich, &rich, NULL); i++)
		give_cash(o, rich);
}

/* ---- PageRank of what is known ---- */

static int collect_edges(const struct rank_order *o, struct rank_edges *edges)
{
	int rc = rank_edges_reserve(edges, o->link_count + 1);

	for (uint32_t page = 0; rc == 0 && page < o->known; page++) {
		const uint32_t *links = is_fetched(o, page) ? links_of(o, page) : NULL;

		for (uint32_t i = 1; rc == 0 && links && i <= links[0]; i++)
			rc = rank_edges_push(edges, (struct rank_edge){page, links[i]});
	}
	return rc;
}

static int compute(struct rank_order *o)
{
	struct rank_edges edges = {0};
	struct rank_graph graph = {0};
	int rc = collect_edges(o, &edges);

	if (rc == 0)
		rc = rank_graph_init(&graph, o->known, &edges);
	rank_edges_release(&edges);
	if (rc == 0)
		rc = rank_pagerank_improve(&graph, RANK_ERROR, o->score.ptr, NULL);
	rank_graph_release(&graph);
	o->ranked = o->link_count;
	o->sum = rc ? o->sum : 1;
	o->out_of_memory = o->out_of_memory || rc;
	if (rc == 0)
		rank_frontier_rekey(&o->frontier, key_of, o);
	return rc;
}

static bool is_due(const struct rank_order *o)
{
	return o->link_count >= o->ranked + RANK_LINKS_MIN &&
	       (double)o->link_count >= RANK_GROWTH * (double)o->ranked;
}

/* What a link gives before the next computation; a page that never had a rank has an even one. */
static void give_rank(struct rank_order *o, uint32_t page, const uint32_t *targets, size_t n)
{
	double rank = o->score.ptr[page] > 0 ? o->score.ptr[page] : 1 / (double)o->known;

	for (size_t i = 0; i < n; i++)
		raise(o, targets[i], RANK_DAMPING * rank / (double)n);
}

/* ---- fetched pages ---- */

static int keep_links(struct rank_order *o, uint32_t page, const uint32_t *targets, size_t n)
{
	size_t at = o->links.len;
	int rc;

	if (!needs_links(o)) {
		o->start.ptr[page] = 1;
		return 0;
	}
	if (at >= UINT32_MAX - 1 - n)
		return ERR_NOMEM;
	rc = u32_vec_reserve(&o->links, n + 1);
	if (rc)
		return rc;
	o->links.ptr[o->links.len++] = (uint32_t)n;
	rc = u32_vec_add(&o->links, targets, n);
	o->start.ptr[page] = (uint32_t)at + 1;
	return rc;
}

int rank_order_fetched(struct rank_order *o, uint32_t page, const uint32_t *targets, size_t n)
{
	int rc = 0;

	if (is_fetched(o, page))
		return 0;
	rc = keep_links(o, page, targets, n);
	if (rc)
		return rc;
	o->link_count += n;
	switch (o->kind) {
	case RANK_INDEGREE:
		for (size_t i = 0; i < n; i++)
			raise(o, targets[i], 1);
		break;
	case RANK_PAGERANK:
		give_rank(o, page, targets, n);
		if (is_due(o))
			(void)!compute(o);
		break;
	case RANK_OPIC:
		take_turns(o, page);
		break;
	default:
		break;
	}
	return 0;
}

int rank_order_settle(struct rank_order *o)
{
	return o->kind == RANK_PAGERANK && o->known > 0 ? compute(o) : 0;
}

double rank_order_weight(const struct rank_order *o, uint32_t page)
{
	double score, mean;

	if (page >= o->known || o->kind == RANK_BREADTH || o->kind == RANK_SITE_BACKLOG)
		return 1;
	score = o->score.ptr[page] + (o->kind == RANK_OPIC ? o->past.ptr[page] : 0);
	mean = o->sum / (double)o->known;
	if (o->kind == RANK_WEIGHTS)
		mean = 1; /* the user's numbers are the planner's */
	if (o->kind == RANK_INDEGREE) {
		score++;
		mean++;
	}
	if (!(mean > 0))
		return 1;
	return fmin(fmax(score / mean, WEIGHT_MIN), WEIGHT_MAX);
}
