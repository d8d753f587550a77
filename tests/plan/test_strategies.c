/*
 * The strategies of SHARC on the paper's own examples: DD-lists (tables 1 to 3), the organ pipe,
 * revisits, hopeless pages; Algorithm 2 against a plain transcription; and the table of names.
 */
#include "plan/plan.h"

#include <stdio.h>

#include "graphs.h"

/* Figure 3: p0 links to p1 and p2, p1 to p3 and p4, p2 to p5; p_i changes at rate i. */
static struct graph figure_3(void)
{
	static const struct edge edges[] = {{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 5}};
	struct graph g = graph_new(6, edges, ARRAY_LEN(edges));

	for (size_t i = 0; i < g.n; i++)
		g.rate[i] = (double)i;
	return g;
}

/* Pages as digits, one after another. */
static void spell(const uint32_t *pages, size_t n, char *out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (char)('0' + pages[i]);
	out[n] = '\0';
}

static struct plan_params params_of(const char *strategy, uint32_t size)
{
	return (struct plan_params){
		.strategy = plan_strategy_find(strategy, false), .delay = 1, .size = size};
}

/*
 * Visits Figure 3 until so many pages are downloaded, then the rest without following their links:
 * what comes then are the pages that were detected, in the order in which they would be taken.
 */
static size_t dd_list(const char *strategy, size_t downloaded, char *out)
{
	struct graph g = figure_3();
	struct plan_params params = params_of(strategy, (uint32_t)g.n);
	struct err err = {0};
	struct plan_run *run = plan_run_new(&params, &err);
	struct plan_order o;
	size_t len = 0;

	capture_discover(run, &g, 0);
	while (len < g.n && plan_next(run, (double)len, &o) == PLAN_ORDER) {
		for (size_t i = g.from[o.page]; len < downloaded && i < g.from[o.page + 1]; i++)
			capture_discover(run, &g, g.links[i]);
		plan_done(run, &o, PLAN_OK, (double)len, (double)len);
		out[len++] = (char)('0' + o.page);
	}
	out[len] = '\0';
	plan_run_free(run);
	graph_release(&g);
	return len;
}

static int by_char(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

static void test_dd_lists(void)
{
	static const struct {
		const char *strategy;
		bool ordered; /* the detected list is a queue; else it is sorted by rate */
		const char *downloaded[7], *detected[7];
	} rows[] = {
		{"dfs", true, {"", "0", "01", "013", "0134", "01342", "013425"},
			{"0", "12", "342", "42", "2", "5", ""}}, /* Table 1 */
		{"bfs", true, {"", "0", "01", "012", "0123", "01234", "012345"},
			{"0", "12", "234", "345", "45", "5", ""}}, /* Table 2, p5 once */
		{"sharc-online", false, {"", "0", "01", "014", "0143", "01432", "014325"},
			{"0", "12", "234", "23", "2", "5", ""}}, /* Table 3 */
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		for (size_t step = 0; step < ARRAY_LEN(rows[i].downloaded); step++) {
			char list[8], want[16];
			size_t len = dd_list(rows[i].strategy, step, list);

			tap_case("DD-list: %s, I = %zu", rows[i].strategy, step);
			if (!rows[i].ordered && len > step)
				qsort(list + step, len - step, 1, by_char);
			(void)snprintf(want, sizeof want, "%s%s", rows[i].downloaded[step],
				rows[i].detected[step]);
			CHECK_STR(list, want);
		}
	}
}

static void test_figure_3(void)
{
	static const struct {
		const char *strategy, *visits, *revisits;
	} rows[] = {
		/* Only the first in first out order of the visits is known beforehand. */
		{"bfs-fifo", "012345", "012345"}, {"bfs-lifo", "012345", "543210"},
		{"dfs-fifo", "013425", "013425"}, {"dfs-lifo", "013425", "524310"},
		{"hottest-first", "025143", ""}, {"hottest-first-fifo", "025143", "025143"},
		{"hottest-first-lifo", "025143", "341520"}, {"hottest-last", "012345", ""},
		{"hottest-last-fifo", "012345", "012345"},
		{"hottest-last-lifo", "012345", "543210"},
		{"hottest-middle-offline", "012345", "543210"},
		{"hottest-middle-online", "012345", "543210"},
		{"sharc-offline", "024531", ""}, /* Example 2 */
		{"sharc-revisits", "024531",
			"024531"}, /* Example 8: visits at 0..5, revisits at 6.. */
	};
	struct graph g = figure_3();

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan_params params = params_of(rows[i].strategy, (uint32_t)g.n);
		struct capture c = capture_run(&g, &params, 1);
		char text[8];

		tap_case("Figure 3: %s", rows[i].strategy);
		spell(c.visits, c.visit_count, text);
		CHECK_STR(text, rows[i].visits);
		spell(c.revisits, c.revisit_count, text);
		CHECK_STR(text, rows[i].revisits);
		capture_release(&c);
	}
	graph_release(&g);
}

/* Example 8 by its numbers: pages p0 to p5 at these visit and revisit times. */
static void test_example_8(void)
{
	static const int visit[] = {0, 5, 1, 4, 2, 3}, revisit[] = {6, 11, 7, 10, 8, 9};
	struct graph g = figure_3();
	struct plan_params params = params_of("sharc-revisits", 0);
	struct capture c = capture_run(&g, &params, 1);

	CHECK(!params.strategy->shared_slot); /* so the first revisit is at n + 1 = 6 */
	for (uint32_t i = 0; i < c.visit_count && i < c.revisit_count; i++) {
		CHECK_INT(visit[c.visits[i]], i);
		CHECK_INT(revisit[c.revisits[i]], g.n + i);
	}
	CHECK_INT(c.visit_count, g.n);
	CHECK_INT(c.revisit_count, g.n);
	capture_release(&c);
	graph_release(&g);
}

/* Eq. 6 by the letter: with rates ascending from p_0 to p_n, where does page i go? */
static size_t organ_pipe_slot(size_t i, size_t pages)
{
	size_t n = pages - 1;

	return i % 2 == 0 ? i / 2 : n - (i - 1) / 2;
}

static void test_organ_pipe(void)
{
	struct rng rng;

	rng_init(&rng, 6);
	for (size_t n = 1; n <= 9; n++) {
		struct graph g = graph_random(&rng, n, 0);
		struct plan_params params = params_of("sharc-offline", 0);
		uint32_t page_of[9]; /* from cold to hot */
		struct capture c;

		tap_case("eq. 6: %zu pages", n);
		for (uint32_t i = 0; i < n; i++)
			page_of[i] = i;
		rng_shuffle(&rng, page_of, n, sizeof *page_of);
		for (size_t i = 0; i < n; i++)
			g.rate[page_of[i]] = 0.5 * (double)i;
		c = capture_run(&g, &params, 1);
		CHECK_INT(c.visit_count, n);
		for (size_t i = 0; i < n; i++)
			CHECK_INT(c.visits[organ_pipe_slot(i, n)], page_of[i]);
		capture_release(&c);
		graph_release(&g);
	}
}

/* Example 11 and Figure 10; pages 0 to 4 are .40, .35, .30, .25, .20. */
static void test_example_11(void)
{
	static const double rate[] = {0.40, 0.35, 0.30, 0.25, 0.20};
	static const int length[] = {0, 8, 6, 2, 4};
	static const bool hopeless[] = {false, true, true, false, false};
	struct graph g = graph_new(5, NULL, 0);
	struct plan_params params = params_of("sharc-selective-offline", 0);
	struct capture c;
	char text[8];

	memcpy(g.rate, rate, sizeof rate);
	c = capture_run(&g, &params, 1);
	spell(c.visits, c.visit_count, text);
	CHECK_STR(text, "12430");
	spell(c.revisits, c.revisit_count, text);
	CHECK_STR(text, "03421");
	for (size_t i = 0; i < c.visit_count; i++) {
		CHECK_INT(2 * (4 - (int)i), length[c.visits[i]]);
		CHECK_INT(c.hopeless[i], hopeless[i]);
	}
	capture_release(&c);
	graph_release(&g);
}

/* Algorithm 2 with a sorted array; found pages come behind others of the same rate. */
struct algorithm_2 {
	const struct graph *graph;
	uint32_t *detected; /* from cold to hot */
	size_t count;
	bool *found;
};

static void add_sort(struct algorithm_2 *a, uint32_t page)
{
	size_t at = a->count;

	if (a->found[page])
		return;
	a->found[page] = true;
	for (; at > 0 && a->graph->rate[a->detected[at - 1]] > a->graph->rate[page]; at--)
		a->detected[at] = a->detected[at - 1];
	a->detected[at] = page;
	a->count++;
}

static uint32_t remove_at(struct algorithm_2 *a, size_t pos)
{
	uint32_t page = a->detected[pos];

	a->count--;
	for (; pos < a->count; pos++)
		a->detected[pos] = a->detected[pos + 1];
	return page;
}

/* Visits by Algorithm 2 with n + 1 = size; returns how many. */
static size_t algorithm_2(const struct graph *g, double size, uint32_t *visits)
{
	struct algorithm_2 a = {.graph = g,
		.detected = need(g->n, sizeof *a.detected),
		.found = need(g->n, sizeof *a.found)};
	size_t downloaded = 0;

	add_sort(&a, 0);
	while (a.count > 0) {
		size_t pos;
		uint32_t page;

		if ((double)(downloaded + a.count) <= size / 2)
			pos = 0;
		else if ((double)downloaded <= size / 2)
			pos = downloaded < a.count ? downloaded : a.count - 1;
		else
			pos = a.count - 1;
		page = remove_at(&a, pos);
		visits[downloaded++] = page;
		for (size_t i = g->from[page]; i < g->from[page + 1]; i++)
			add_sort(&a, g->links[i]);
		/* A site that proves larger than thought is as large as what is known of it. */
		if (size < (double)(downloaded + a.count))
			size = (double)(downloaded + a.count);
	}
	free(a.detected);
	free(a.found);
	return downloaded;
}

static void test_algorithm_2(void)
{
	static const double estimates[] = {0.5, 1, 2};
	struct rng rng;

	rng_init(&rng, 2);
	for (enum rates kind = 0; kind < RATES_KINDS; kind++) {
		tap_case("Algorithm 2: %s rates", rates_name[kind]);
		for (int repeat = 0; repeat < 60; repeat++) {
			size_t n = 1 + rng_below(&rng, 150);
			struct graph g = graph_random(&rng, n, rng_below(&rng, 2 * n));
			uint32_t size = (uint32_t)ceil(estimates[repeat % 3] * (double)n);
			struct plan_params params = params_of("sharc-online", size);
			uint32_t *want = need(n, sizeof *want);
			struct capture c;

			graph_set_rates(&g, &rng, kind);
			c = capture_run(&g, &params, 1);
			CHECK_INT(algorithm_2(&g, size, want), n);
			CHECK_INT(c.visit_count, n);
			CHECK(memcmp(c.visits, want, n * sizeof *want) == 0);
			capture_release(&c);
			free(want);
			graph_release(&g);
		}
	}
}

/* The same link in many pages, links back and to the page itself: one visit, one revisit. */
static void test_once(void)
{
	const struct plan_strategy *s;
	struct rng rng;

	rng_init(&rng, 3);
	for (size_t i = 0; (s = plan_strategy_at(i)); i++) {
		struct graph g = graph_random(&rng, 40, 400);
		struct plan_params params = {.strategy = s, .delay = 1, .size = (uint32_t)g.n};
		unsigned seen[2][40] = {{0}};
		struct capture c;

		tap_case("once: %s", s->name);
		graph_set_rates(&g, &rng, RATES_NARROW);
		c = capture_run(&g, &params, 1);
		for (size_t j = 0; j < c.visit_count; j++)
			seen[0][c.visits[j]]++;
		for (size_t j = 0; j < c.revisit_count; j++)
			seen[1][c.revisits[j]]++;
		for (size_t j = 0; j < g.n; j++) {
			CHECK_INT(seen[0][j], 1);
			CHECK_INT(seen[1][j], s->revisits != NULL);
		}
		capture_release(&c);
		graph_release(&g);
	}
}

/* LIFO is the visits backwards and FIFO the visits again, whatever their order. */
static void test_revisit_orders(void)
{
	static const struct {
		const char *strategy;
		bool backwards;
	} rows[] = {
		{"bfs-fifo", false},
		{"bfs-lifo", true},
		{"dfs-fifo", false},
		{"dfs-lifo", true},
		{"hottest-first-fifo", false},
		{"hottest-first-lifo", true},
		{"hottest-last-fifo", false},
		{"hottest-last-lifo", true},
		{"sharc-revisits", false},
		{"sharc-selective-offline", true},
		{"sharc-selective-online", true},
		{"sharc-threshold", true},
		{"hottest-middle-offline", true},
	};
	struct rng rng;

	rng_init(&rng, 4);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct graph g = graph_random(&rng, 31, 31);
		struct plan_params params = params_of(rows[i].strategy, (uint32_t)g.n);
		struct capture c;

		tap_case("revisits: %s", rows[i].strategy);
		graph_set_rates(&g, &rng, RATES_NARROW);
		c = capture_run(&g, &params, 1);
		CHECK_INT(c.revisit_count, g.n);
		for (size_t j = 0; j < c.revisit_count; j++)
			CHECK_INT(c.revisits[j],
				c.visits[rows[i].backwards ? c.visit_count - 1 - j : j]);
		capture_release(&c);
		graph_release(&g);
	}
}

static void test_names(void)
{
	static const struct {
		const char *name;
		bool all_known;
		const char *want;
	} rows[] = {
		{"bfs", true, "bfs"},
		{"bfs-lifo", false, "bfs-lifo"},
		{"sharc", true, "sharc-offline"},
		{"sharc", false, "sharc-online"},
		{"sharc-selective", true, "sharc-selective-offline"},
		{"sharc-selective", false, "sharc-selective-online"},
		{"solar", true, "solar-offline"},
		{"solar", false, "solar-online"},
		{"hottest-middle", true, "hottest-middle-offline"},
		{"hottest-middle", false, "hottest-middle-online"},
		{"stillpoint", true, "stillpoint-offline"},
		{"stillpoint", false, "stillpoint-online"},
		/* A whole name is taken at its word. */
		{"solar-online", true, "solar-online"},
		{"solar-offline", false, "solar-offline"},
		{"sharc-threshold", false, "sharc-threshold"},
		{"", true, NULL},
		{"sha", true, NULL},
		{"solar-", true, NULL},
		{"solar-onlin", true, NULL},
		{"solar-online-", true, NULL},
		{"BFS", true, NULL},
		{"offline", true, NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct plan_strategy *s = plan_strategy_find(rows[i].name, rows[i].all_known);

		tap_case("name: '%s', %s", rows[i].name, rows[i].all_known ? "known" : "unknown");
		CHECK_STR(s ? s->name : NULL, rows[i].want);
	}
}

static void test_table(void)
{
	const struct plan_strategy *s, *other;
	size_t count = 0;

	for (; (s = plan_strategy_at(count)); count++) {
		for (size_t i = 0; i < count && (other = plan_strategy_at(i)); i++) {
			CHECK(strcmp(s->name, other->name) != 0);
			CHECK(s->visits != other->visits || s->revisits != other->revisits ||
				s->offline != other->offline);
		}
		CHECK(plan_strategy_find(s->name, true) == s);
		CHECK(plan_strategy_find(s->name, false) == s);
		/* Where the revisits go back the way of the visits, one page stands at the turn. */
		CHECK_INT(s->shared_slot, s->revisits && !strstr(s->name, "-fifo") &&
						  strcmp(s->name, "sharc-revisits") != 0);
	}
	CHECK_INT(count, 24); /* six single, eighteen with revisits */
	CHECK(!plan_strategy_at(count + 1));
	CHECK(!plan_strategy_at(SIZE_MAX));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_dd_lists();
	test_figure_3();
	TAP_RUN(test_example_8);
	test_organ_pipe();
	TAP_RUN(test_example_11);
	test_algorithm_2();
	test_once();
	test_revisit_orders();
	test_names();
	TAP_RUN(test_table);
	return tap_done();
}
