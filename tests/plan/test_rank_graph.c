/* PageRank and both distances on graphs small enough for paper. */
#include <math.h>

#include "inspect/directory.h"
#include "inspect/distance.h"
#include "plan/rank_graph.h"
#include "tap.h"

/* Edges in order of their places; a repeated link counts once. */
static void build(struct rank_graph *g, size_t n, const struct rank_edge *edges, size_t count)
{
	struct rank_edges list = {0};

	for (size_t i = 0; i < count; i++)
		CHECK_INT(rank_edges_push(&list, edges[i]), 0);
	CHECK_INT(rank_graph_init(g, n, &list), 0);
	rank_edges_release(&list);
}

/*
 * 0 → 1, page 1 dangling: r0 = x, r1 = x + 0.85 r0, where x = 0.075 + 0.425 r1 is what all pages
 * get; r0 + r1 = 1 gives r0 = 1 / 2.85.
 */
static void test_dangling(void)
{
	static const struct rank_edge EDGES[] = {{0, 1}, {0, 1}};
	struct rank_graph g = {0};
	double rank[2];

	tap_case("pagerank: the rank of a dangling page goes everywhere");
	build(&g, 2, EDGES, ARRAY_LEN(EDGES));
	CHECK_INT(rank_pagerank(&g, rank), 0);
	CHECK_NEAR(rank[0], 1 / 2.85, 1e-13);
	CHECK_NEAR(rank[1], 1.85 / 2.85, 1e-13);
	rank_graph_release(&g);
}

/* A star: leaves give all to the hub, which gives a third to each. h = 0.0375 + 0.85 (1 - h). */
static void test_star(void)
{
	static const struct rank_edge EDGES[] = {{0, 1}, {0, 2}, {0, 3}, {1, 0}, {2, 0}, {3, 0}};
	struct rank_graph g = {0};
	double rank[4], hub = (0.0375 + 0.85) / 1.85;

	tap_case("pagerank: a star");
	build(&g, 4, EDGES, ARRAY_LEN(EDGES));
	CHECK_INT(rank_pagerank(&g, rank), 0);
	CHECK_NEAR(rank[0], hub, 1e-13);
	CHECK_NEAR(rank[3], (1 - hub) / 3, 1e-13);
	rank_graph_release(&g);
}

/* 0 → 1, 0 → 2 (siblings), 1 → 3 → 4, 4 → 1 and 5 → 0; 6 is apart. Seed 1. */
static void test_distance(void)
{
	static const struct rank_edge EDGES[] = {{0, 1}, {0, 2}, {1, 3}, {3, 4}, {4, 1}, {5, 0}};
	static const int32_t WANT[] = {-1, 0, 0, 1, -1, -2, RANK_UNREACHABLE};
	struct rank_graph g = {0};
	int32_t dist[7];

	tap_case("distance: siblings, the shorter path, links first");
	build(&g, 7, EDGES, ARRAY_LEN(EDGES));
	CHECK_INT(rank_distance(&g, 1, dist), 0);
	for (size_t i = 0; i < ARRAY_LEN(WANT); i++)
		CHECK_INT(dist[i], WANT[i]);
	rank_graph_release(&g);
}

static void test_directory(void)
{
	static const struct {
		const char *seed, *page;
		int32_t want;
	} ROWS[] = {
		{"http://a/d/x", "http://a/d/y", 0},
		{"http://a/d/x", "http://a/d/x", 0},
		{"http://a/d/x", "http://a/x", 1},
		{"http://a/d/x", "https://A", 1},
		{"http://a/d/x", "http://a/d/e/x", -1},
		{"http://a/d/x", "http://a/d/x/y", -1}, /* x the page is no directory */
		{"http://a/d/x", "http://a/e/x", 2},    /* of one depth, but not together */
		{"http://a/d/x", "http://a/e/f/x", -3},
		{"http://a/d/e/x", "http://a/d2/x", 3},
		{"http://a/d/x", "http://a/d/?q=/1/2", 0},
		{"http://a/d/x", "http://b/d/x", RANK_UNREACHABLE},
		{"d/x", "/d/y", 0},
		{"", "a/", -1},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("directory: %s to %s", ROWS[i].seed, ROWS[i].page);
		CHECK_INT(rank_directory_distance(slice_str(ROWS[i].seed), slice_str(ROWS[i].page)),
			ROWS[i].want);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_dangling();
	test_star();
	test_distance();
	test_directory();
	return tap_done();
}
