/* Which page comes next: the frontier against a plain list, and each order on small graphs. */
#include <math.h>

#include "base/rng.h"
#include "plan/rank_graph.h"
#include "plan/rank_order.h"
#include "tap.h"

enum { PAGES = 400, HOSTS = 7, STEPS = 4000 };

/* ---- the frontier ---- */

struct plain {
	double key[PAGES];
	uint32_t host[PAGES];
	bool waits[PAGES], held[HOSTS];
};

/* The best page of all, looked for one by one; PAGES for none. */
static uint32_t find_best(const struct plain *p)
{
	uint32_t best = PAGES;

	for (uint32_t i = 0; i < PAGES; i++)
		if (p->waits[i] && !p->held[p->host[i]] &&
			(best == PAGES || p->key[i] > p->key[best]))
			best = i;
	return best;
}

static void step(struct rank_frontier *f, struct plain *p, struct rng *rng)
{
	uint32_t page = (uint32_t)rng_below(rng, PAGES), host = (uint32_t)rng_below(rng, HOSTS);
	double key = (double)rng_below(rng, 50);

	switch (rng_below(rng, 5)) {
	case 0:
	case 1:
		if (p->waits[page])
			break;
		p->waits[page] = true;
		p->key[page] = key;
		p->host[page] = host;
		CHECK_INT(rank_frontier_add(f, page, host, key), 0);
		break;
	case 2:
		p->key[page] = p->waits[page] ? key : p->key[page];
		rank_frontier_update(f, page, key);
		break;
	case 3:
		p->held[host] = !p->held[host];
		CHECK_INT(rank_frontier_hold(f, host, p->held[host]), 0);
		break;
	default:
		p->waits[page] = false;
		rank_frontier_remove(f, page);
		break;
	}
}

static void test_frontier(void)
{
	struct rank_frontier f = {0};
	struct plain p = {0};
	struct rng rng;

	tap_case("frontier: the best page of a host that is not held, whatever happens");
	rng_init(&rng, 3);
	for (int s = 0; s < STEPS; s++) {
		uint32_t want = find_best(&p), got = PAGES;

		if (s % 3 == 0 && want < PAGES) {
			CHECK(rank_frontier_take(&f, &got));
			CHECK_INT(got, want);
			p.waits[want] = false;
		} else if (want == PAGES) {
			CHECK(!rank_frontier_take(&f, &got));
		}
		step(&f, &p, &rng);
	}
	rank_frontier_release(&f);
}

static void test_shares(void)
{
	struct rank_frontier f = {.by = RANK_HOSTS_SHARE, .lag = 8};
	uint32_t page, taken[2] = {0};

	tap_case("shares: ten new pages a request against none; both get some");
	for (uint32_t i = 0; i < PAGES; i++)
		CHECK_INT(rank_frontier_add(&f, i, i % 2, 0), 0);
	for (int i = 0; i < 150; i++) {
		CHECK(rank_frontier_take(&f, &page));
		taken[page % 2]++;
		rank_frontier_gave(&f, page % 2, page % 2 ? 0 : 10);
	}
	CHECK(taken[1] >= 5 && taken[0] > 8 * taken[1]);

	tap_case("shares: a host that is held is waited for");
	CHECK_INT(rank_frontier_hold(&f, 1, true), 0);
	taken[0] = 0;
	while (rank_frontier_take(&f, &page))
		taken[0]++;
	CHECK(taken[0] > 0 && f.len > 0);
	CHECK_INT(rank_frontier_hold(&f, 1, false), 0);
	CHECK(rank_frontier_take(&f, &page) && page % 2 == 1);
	rank_frontier_release(&f);
}

/* ---- orders ---- */

/* A crawl of 0 → 1 2 3, 1 → 4, 2 → 4 5, 3 → 4 5, 4 and 5 → 0; the order of its fetches. */
static void crawl(enum rank_order_kind kind, const double *hints, uint32_t *got)
{
	static const uint32_t LINKS[6][3] = {{1, 2, 3}, {4}, {4, 5}, {4, 5}, {0}, {0}};
	static const size_t COUNTS[6] = {3, 1, 2, 2, 1, 1};
	struct rank_order o;
	uint32_t page;
	size_t n = 0;
	bool known[6] = {true};

	rank_order_init(&o, kind);
	CHECK_INT(rank_order_known(&o, 0, hints ? hints[0] : 1), 0);
	CHECK_INT(rank_order_wait(&o, 0, 0, 0), 0);
	while (n < 6 && rank_order_take(&o, &page)) {
		got[n++] = page;
		for (size_t i = 0; i < COUNTS[page]; i++) {
			uint32_t to = LINKS[page][i];

			CHECK_INT(rank_order_known(&o, to, hints ? hints[to] : 0), 0);
			if (!known[to])
				CHECK_INT(rank_order_wait(&o, to, to > 3, 0), 0);
			known[to] = true;
		}
		CHECK_INT(rank_order_fetched(&o, page, LINKS[page], COUNTS[page]), 0);
	}
	CHECK_INT(n, 6);
	rank_order_release(&o);
}

static void test_orders(void)
{
	static const double HINTS[6] = {1, 0.1, 0, 0.2, 0.9, 0.3};
	static const struct {
		enum rank_order_kind kind;
		const double *hints;
		uint32_t want[6];
	} ROWS[] = {
		{RANK_BREADTH, NULL, {0, 1, 2, 3, 4, 5}},
		/* After 1 and 2, page 4 has two links and 3 and 5 one. */
		{RANK_INDEGREE, NULL, {0, 1, 2, 4, 3, 5}},
		/* 4 has got a third of the cash from 1, and half as much from 2: more than 3. */
		{RANK_OPIC, NULL, {0, 1, 2, 4, 3, 5}},
		{RANK_SITEMAP, HINTS, {0, 3, 4, 5, 1, 2}},
		{RANK_WEIGHTS, HINTS, {0, 3, 4, 5, 1, 2}},
		/* After 2, two pages wait on the second host and one on the first. */
		{RANK_SITE_BACKLOG, NULL, {0, 1, 2, 4, 3, 5}},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		uint32_t got[6] = {0};

		tap_case("order: %s", RANK_ORDERS[ROWS[i].kind]);
		crawl(ROWS[i].kind, ROWS[i].hints, got);
		for (size_t k = 0; k < 6; k++)
			CHECK_INT(got[k], ROWS[i].want[k]);
	}
}

static void test_levels(void)
{
	struct rank_order o;
	uint32_t page;

	tap_case("order: levels come before scores");
	rank_order_init(&o, RANK_WEIGHTS);
	for (uint32_t i = 0; i < 4; i++) {
		CHECK_INT(rank_order_known(&o, i, 1000 * i), 0);
		CHECK_INT(rank_order_wait(&o, i, 0, i == 1 ? 2 : 0), 0);
	}
	rank_order_level(&o, 0, 1);
	for (size_t i = 0; i < 4; i++) {
		static const uint32_t WANT[] = {1, 0, 3, 2};

		CHECK(rank_order_take(&o, &page));
		CHECK_INT(page, WANT[i]);
	}
	CHECK(!rank_order_take(&o, &page));
	rank_order_release(&o);
}

/* Every page fetched: partial PageRank is PageRank then, and cash is kept. */
static void test_complete(void)
{
	struct rank_edges edges = {0};
	struct rank_graph g = {0};
	struct rank_order pagerank, opic;
	double rank[PAGES], cash = 0;
	struct rng rng;

	tap_case("order: when all is fetched, weights are those of the whole graph");
	rng_init(&rng, 5);
	rank_order_init(&pagerank, RANK_PAGERANK);
	rank_order_init(&opic, RANK_OPIC);
	CHECK_INT(rank_order_known(&opic, 0, 1), 0);
	CHECK_INT(rank_order_known(&opic, PAGES - 1, 0), 0);
	CHECK_INT(rank_order_known(&pagerank, PAGES - 1, 0), 0);
	for (uint32_t i = 0; i < PAGES; i++) {
		uint32_t to[2] = {(uint32_t)rng_below(&rng, PAGES / 4), PAGES / 4 + i % 100};

		for (size_t k = 0; k < 2; k++)
			CHECK_INT(rank_edges_push(&edges, (struct rank_edge){i, to[k]}), 0);
		CHECK_INT(rank_order_fetched(&pagerank, i, to, 2), 0);
		CHECK_INT(rank_order_fetched(&opic, i, to, 2), 0);
	}
	CHECK_INT(rank_order_settle(&pagerank), 0);
	CHECK_INT(rank_graph_init(&g, PAGES, &edges), 0);
	CHECK_INT(rank_pagerank(&g, rank), 0);
	for (uint32_t i = 0; i < PAGES; i++) {
		CHECK_NEAR(rank_order_weight(&pagerank, i), fmax(0.01, rank[i] * PAGES), 0.5);
		cash += opic.score.ptr[i];
	}
	CHECK_NEAR(cash, 1, 1e-9);
	rank_edges_release(&edges);
	rank_graph_release(&g);
	rank_order_release(&pagerank);
	rank_order_release(&opic);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_frontier();
	test_shares();
	test_orders();
	test_levels();
	test_complete();
	return tap_done();
}
