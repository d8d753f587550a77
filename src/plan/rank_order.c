#include "plan/rank_order.h"

#include <math.h>
#include <stdlib.h>

#include "plan/rank_graph.h"

/* A host without new pages gets this many for each request all the same: none starves. */
static const double YIELD_MIN = 0.05;

void rank_frontier_release(struct rank_frontier *f)
{
	for (size_t i = 0; i < f->hosts.len; i++)
		u32_vec_release(&f->hosts.ptr[i].waiting);
	rank_hosts_release(&f->hosts);
	rank_keys_release(&f->key);
	u32_vec_release(&f->place);
	u32_vec_release(&f->host);
	heap_release(&f->order);
	heap_release(&f->turns);
	*f = (struct rank_frontier){0};
}

/* ---- the heap of a host ---- */

static bool is_better(const struct rank_frontier *f, uint32_t a, uint32_t b)
{
	double x = f->key.ptr[a], y = f->key.ptr[b];

	return x > y || (x == y && a < b);
}

static void put(struct rank_frontier *f, const struct rank_host *h, size_t at, uint32_t page)
{
	h->waiting.ptr[at] = page;
	f->place.ptr[page] = (uint32_t)at + 1;
}

static void sift_up(struct rank_frontier *f, const struct rank_host *h, size_t at)
{
	uint32_t page = h->waiting.ptr[at];

	while (at > 0 && is_better(f, page, h->waiting.ptr[(at - 1) / 2])) {
		put(f, h, at, h->waiting.ptr[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	put(f, h, at, page);
}

static void sift_down(struct rank_frontier *f, const struct rank_host *h, size_t at)
{
	uint32_t page = h->waiting.ptr[at];
	size_t n = h->waiting.len;

	for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
		if (child + 1 < n && is_better(f, h->waiting.ptr[child + 1], h->waiting.ptr[child]))
			child++;
		if (!is_better(f, h->waiting.ptr[child], page))
			break;
		put(f, h, at, h->waiting.ptr[child]);
		at = child;
	}
	put(f, h, at, page);
}

static void drop(struct rank_frontier *f, struct rank_host *h, size_t at)
{
	uint32_t page = h->waiting.ptr[at], last = h->waiting.ptr[--h->waiting.len];

	f->len--;
	f->place.ptr[page] = 0;
	if (page == last)
		return;
	put(f, h, at, last);
	sift_up(f, h, at);
	sift_down(f, h, f->place.ptr[last] - 1);
}

/* ---- the heap of hosts ---- */

/* What a host's share grows with: new pages for each request, one before it is known. */
static double yield_of(const struct rank_host *h)
{
	return fmax(YIELD_MIN, (h->new_pages + 1) / (h->taken + 1.0));
}

static struct heap_key host_key(const struct rank_frontier *f, const struct rank_host *h)
{
	uint32_t best = h->waiting.ptr[0];

	switch (f->by) {
	case RANK_HOSTS_BACKLOG:
		return (struct heap_key){-(double)h->waiting.len, best};
	case RANK_HOSTS_SHARE:
		return (struct heap_key){h->turn, best};
	case RANK_HOSTS_BEST:
		break;
	}
	return (struct heap_key){-f->key.ptr[best], best};
}

/* Room was made when the host came, so that nothing fails here. */
static void place_host(struct rank_frontier *f, uint32_t host)
{
	const struct rank_host *h = &f->hosts.ptr[host];
	struct heap_key turn = {h->turn, host};

	if (h->waiting.len == 0 || f->key.ptr[h->waiting.ptr[0]] < f->least)
		(void)heap_remove(&f->turns, host);
	else if (f->lag > 0 && !heap_update(&f->turns, host, turn))
		(void)!heap_push(&f->turns, host, turn);
	if (h->held || h->waiting.len == 0 || f->key.ptr[h->waiting.ptr[0]] < f->least)
		(void)heap_remove(&f->order, host);
	else if (!heap_update(&f->order, host, host_key(f, h)))
		(void)!heap_push(&f->order, host, host_key(f, h));
}

static int grow_hosts(struct rank_frontier *f, uint32_t host)
{
	TRY(heap_reserve(&f->order, (size_t)host + 1));
	if (f->lag > 0)
		TRY(heap_reserve(&f->turns, (size_t)host + 1));
	/* A host that comes later is not owed what the others got before. */
	while (f->hosts.len <= host)
		TRY(rank_hosts_try_push(&f->hosts, (struct rank_host){.turn = f->turn}));
	return 0;
}

static int grow_pages(struct rank_frontier *f, uint32_t page)
{
	while (f->place.len <= page) {
		TRY(rank_keys_try_reserve(&f->key, 1));
		TRY(u32_vec_try_reserve(&f->host, 1));
		TRY(u32_vec_try_push(&f->place, 0));
		f->key.ptr[f->key.len++] = 0;
		f->host.ptr[f->host.len++] = 0;
	}
	return 0;
}

int rank_frontier_add(struct rank_frontier *f, uint32_t page, uint32_t host, double key)
{
	struct rank_host *h;
	int rc = grow_pages(f, page);

	if (rc == 0)
		rc = grow_hosts(f, host);
	if (rc || f->place.ptr[page])
		return rc;
	h = &f->hosts.ptr[host];
	TRY(u32_vec_try_push(&h->waiting, page));
	if (h->waiting.len == 1)
		h->turn = fmax(h->turn, f->turn);
	f->key.ptr[page] = key;
	f->host.ptr[page] = host;
	f->len++;
	sift_up(f, h, h->waiting.len - 1);
	place_host(f, host);
	return 0;
}

bool rank_frontier_has(const struct rank_frontier *f, uint32_t page)
{
	return page < f->place.len && f->place.ptr[page] > 0;
}

void rank_frontier_update(struct rank_frontier *f, uint32_t page, double key)
{
	const struct rank_host *h;

	if (!rank_frontier_has(f, page) || f->key.ptr[page] == key)
		return;
	h = &f->hosts.ptr[f->host.ptr[page]];
	f->key.ptr[page] = key;
	sift_up(f, h, f->place.ptr[page] - 1);
	sift_down(f, h, f->place.ptr[page] - 1);
	place_host(f, f->host.ptr[page]);
}

void rank_frontier_remove(struct rank_frontier *f, uint32_t page)
{
	if (!rank_frontier_has(f, page))
		return;
	drop(f, &f->hosts.ptr[f->host.ptr[page]], f->place.ptr[page] - 1);
	place_host(f, f->host.ptr[page]);
}

/* The host that the next page would be of; false as above. */
static bool rank_frontier_peek(const struct rank_frontier *f, uint32_t *ret_host)
{
	struct heap_key due;
	uint32_t first;

	if (!heap_peek(&f->order, ret_host, NULL))
		return false;
	return !(f->lag > 0) || !heap_peek(&f->turns, &first, &due) ||
	       f->hosts.ptr[*ret_host].turn <= due.key + f->lag;
}

bool rank_frontier_take(struct rank_frontier *f, uint32_t *ret_page)
{
	struct rank_host *h;
	uint32_t host;

	if (!rank_frontier_peek(f, &host))
		return false;
	h = &f->hosts.ptr[host];
	*ret_page = h->waiting.ptr[0];
	f->turn = fmax(f->turn, h->turn);
	h->turn += 1 / yield_of(h);
	h->taken++;
	drop(f, h, 0);
	place_host(f, host);
	return true;
}

int rank_frontier_hold(struct rank_frontier *f, uint32_t host, bool held)
{
	TRY(grow_hosts(f, host));
	f->hosts.ptr[host].held = held;
	place_host(f, host);
	return 0;
}

void rank_frontier_gave(struct rank_frontier *f, uint32_t host, size_t new_pages)
{
	if (host < f->hosts.len)
		f->hosts.ptr[host].new_pages += (double)new_pages;
}

void rank_frontier_rekey(struct rank_frontier *f, rank_key_of *key_of, void *context)
{
	for (uint32_t i = 0; i < f->hosts.len; i++) {
		const struct rank_host *h = &f->hosts.ptr[i];

		for (size_t k = 0; k < h->waiting.len; k++)
			f->key.ptr[h->waiting.ptr[k]] = key_of(context, h->waiting.ptr[k]);
		for (size_t k = h->waiting.len / 2; k > 0; k--)
			sift_down(f, h, k - 1);
		place_host(f, i);
	}
}

struct listed {
	double key;
	uint32_t page;
};

static int by_key(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return x->page < y->page ? -1 : x->page > y->page;
}

int rank_frontier_list(const struct rank_frontier *f, struct u32_vec *ret)
{
	struct listed *all = calloc(f->len + 1, sizeof *all);
	size_t n = 0;
	int rc = all ? u32_vec_try_reserve(ret, f->len) : ERR_NOMEM;

	for (uint32_t i = 0; rc == 0 && i < f->place.len; i++)
		if (f->place.ptr[i])
			all[n++] = (struct listed){f->key.ptr[i], i};
	if (n > 1)
		qsort(all, n, sizeof *all, by_key);
	for (size_t i = 0; i < n; i++)
		ret->ptr[ret->len++] = all[i].page;
	free(all);
	return rc;
}

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
	TRY(rank_keys_try_reserve(&o->score, 1));
	TRY(u32_vec_try_reserve(&o->level, 1));
	TRY(u32_vec_try_reserve(&o->start, 1));
	if (o->kind == RANK_OPIC)
		TRY(rank_keys_try_push(&o->past, 0));
	if (o->kind == RANK_OPIC)
		TRY(heap_reserve(&o->rich, o->known + 1));
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
	TRY(rank_edges_try_reserve(edges, o->link_count + 1));
	for (uint32_t page = 0; page < o->known; page++) {
		const uint32_t *links = is_fetched(o, page) ? links_of(o, page) : NULL;

		for (uint32_t i = 1; links && i <= links[0]; i++)
			TRY(rank_edges_try_push(edges, (struct rank_edge){page, links[i]}));
	}
	return 0;
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

	if (!needs_links(o)) {
		o->start.ptr[page] = 1;
		return 0;
	}
	if (at >= UINT32_MAX - 1 - n)
		return ERR_NOMEM;
	TRY(u32_vec_try_reserve(&o->links, n + 1));
	o->links.ptr[o->links.len++] = (uint32_t)n;
	TRY(u32_vec_add(&o->links, targets, n));
	o->start.ptr[page] = (uint32_t)at + 1;
	return 0;
}

int rank_order_fetched(struct rank_order *o, uint32_t page, const uint32_t *targets, size_t n)
{
	if (is_fetched(o, page))
		return 0;
	TRY(keep_links(o, page, targets, n));
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
