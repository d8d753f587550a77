/*
 * stillpoint-online on the trees of the papers' experiments, with right, wrong and no estimates of
 * the size; and stillpoint-offline against every other strategy.
 */
#include "plan/plan.h"

#include "graphs.h"

enum { PAGES = 10000 };

static double coherence_of(const struct graph *g, const char *strategy, double delay, uint32_t size)
{
	struct plan_params params = {
		.strategy = plan_strategy_find(strategy, true), .delay = delay, .size = size};

	return expected_coherence(g, &params);
}

/* Targets at slow-down 3; the optimum, which knows all pages beforehand, is 5617.3. */
static void test_sharc_tree(void)
{
	static const struct {
		const char *label;
		bool hot_leaves;
		double incoherent_max;
	} rows[] = {{"cold", false, 5680}, {"hot", true, 5700}};
	static const struct {
		const char *label;
		double share; /* of the true size; 0: not given */
	} sizes[] = {{"50 % low", 0.5}, {"100 % high", 2}, {"not given", 0}};

	for (size_t i = 0; i < tap_rounds(ARRAY_LEN(rows)); i++) {
		struct graph g = graph_sharc_tree(PAGES, rows[i].hot_leaves);
		double exact = PAGES - coherence_of(&g, "stillpoint-online", 3, PAGES);

		tap_case("%s leaves: size exact", rows[i].label);
		tap_note("%.1f expected incoherent pages", exact);
		CHECK(exact <= rows[i].incoherent_max);
		CHECK(exact >= 5617);
		for (size_t j = 0; j < tap_rounds(ARRAY_LEN(sizes)); j++) {
			uint32_t size = (uint32_t)(sizes[j].share * PAGES);
			double got = PAGES - coherence_of(&g, "stillpoint-online", 3, size);

			tap_case("%s leaves: size %s", rows[i].label, sizes[j].label);
			tap_note("%.1f expected incoherent pages", got);
			CHECK(got <= 1.01 * exact);
			CHECK(got <= rows[i].incoherent_max);
		}
		graph_release(&g);
	}
}

static uint32_t wide_parent(uint32_t page)
{
	return (page - 1) / 40;
}

/* SOLAR section 6, Table 2; the optima are 731.559 and 536.209. */
static void test_solar_tree(void)
{
	static const struct {
		const char *label;
		void (*set_rates)(struct graph *g);
		double least, optimum;
	} rows[] = {
		{"skewed", graph_set_skewed, 731.5, 731.559},
		{"smooth", graph_set_smooth, 536.1, 536.209},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct graph g = graph_solar_tree();
		double got;

		rows[i].set_rates(&g);
		tap_case("SOLAR's tree, %s", rows[i].label);
		got = coherence_of(&g, "stillpoint-online", 1, 1000);
		CHECK(got >= rows[i].least && got <= rows[i].optimum + 5e-4);
		tap_case("SOLAR's tree, %s, size not given", rows[i].label);
		got = coherence_of(&g, "stillpoint-online", 1, 0);
		tap_note("%.2f of %.2f", got, rows[i].optimum);
		CHECK(got >= 0.99 * rows[i].least && got <= rows[i].optimum + 5e-4);
		graph_release(&g);
	}
}

/* A tree whose inner pages are neither hotter nor colder than its leaves. */
static struct graph graph_mixed(struct rng *rng)
{
	struct graph g = graph_sharc_tree(PAGES, false);

	for (size_t i = g.n - 1; i > 0; i--) {
		size_t j = rng_below(rng, i + 1);
		double rate = g.rate[i];

		g.rate[i] = g.rate[j];
		g.rate[j] = rate;
	}
	return g;
}

/* A home page with 400 links; all the rest hangs on the one that changes most. */
static struct graph graph_hub(struct rng *rng, uint32_t n)
{
	enum { HUB = 200 };
	struct edge *edges = need(n, sizeof *edges);
	struct graph g;

	for (uint32_t i = 1; i < n; i++)
		edges[i - 1] = (struct edge){i <= 400 ? 0 : HUB, i};
	g = graph_new(n, edges, n - 1);
	for (uint32_t i = 0; i < n; i++)
		g.rate[i] = power_between(rng, -6, -3);
	g.rate[HUB] = 0.01;
	free(edges);
	return g;
}

static struct graph graph_hot_hub(struct rng *rng)
{
	return graph_hub(rng, 2000);
}

static struct graph graph_large_hub(struct rng *rng)
{
	return graph_hub(rng, 4000);
}

/* What is still hidden is neither forgotten because it is quiet nor left to the end. */
static void test_hidden(void)
{
	static const struct {
		const char *label;
		struct graph (*make)(struct rng *rng);
		double delay, least; /* share of what could be had */
	} rows[] = {
		{"hot hub", graph_hot_hub, 1, 0.995},
		{"hot hub of a large site", graph_large_hub, 1, 0.995},
		{"mixed tree", graph_mixed, 5, 0.94},
	};
	struct rng rng;

	rng_init(&rng, 11);
	for (size_t i = 0; i < tap_rounds(ARRAY_LEN(rows)); i++) {
		struct graph g = rows[i].make(&rng);
		double best = coherence_of(&g, "stillpoint-offline", rows[i].delay, 0);
		double got = coherence_of(&g, "stillpoint-online", rows[i].delay, (uint32_t)g.n);

		tap_case("hidden pages: %s", rows[i].label);
		tap_note("%.1f of %.1f", got, best);
		CHECK(got >= rows[i].least * best);
		graph_release(&g);
	}
}

/* A delay that is not given is learned from the downloads. */
static void test_unknown_delay(void)
{
	static const double step = 5;
	struct graph g = graph_solar_tree();
	struct plan_params params = {
		.strategy = plan_strategy_find("stillpoint-online", false), .size = 1000};
	struct capture c;
	double given, learned;

	graph_set_zipf(&g, 1.2);
	given = coherence_of(&g, "stillpoint-online", step, 1000);
	c = capture_run(&g, &params, step);
	learned = capture_coherence(&g, &c, true, step);
	CHECK_INT(c.revisit_count, g.n);
	CHECK_NEAR(given, 243.676, 1); /* the optimum, give or take */
	CHECK(learned >= 0.98 * given);
	capture_release(&c);
	graph_release(&g);
}

/*
 * Page 0 leads to page 1 and that to the rest of a random graph: two downloads without a choice,
 * which is what it takes to learn the delay. They never change, so no strategy minds them.
 */
static struct graph graph_behind_a_door(struct rng *rng, size_t n)
{
	struct graph inner = graph_random(rng, n, n);
	struct edge *edges = need(inner.from[n] + n + 1, sizeof *edges);
	size_t count = 0;
	struct graph g;

	edges[count++] = (struct edge){0, 1};
	for (uint32_t i = 0; i < n; i += 2)
		edges[count++] = (struct edge){1, i + 2};
	for (uint32_t i = 0; i < n; i++)
		for (size_t k = inner.from[i]; k < inner.from[i + 1]; k++)
			edges[count++] = (struct edge){i + 2, inner.links[k] + 2};
	g = graph_new(n + 2, edges, count);
	free(edges);
	graph_release(&inner);
	return g;
}

/* Once the delay is learned, orders are those of a run that was told. */
static void test_learned_delay(void)
{
	static const double steps[] = {0.01, 1, 7, 1e4};
	const struct plan_strategy *s;
	struct rng rng;

	rng_init(&rng, 33);
	for (size_t i = 0; (s = plan_strategy_at(i)); i++) {
		if (s->offline)
			continue;
		tap_case("learned delay: %s", s->name);
		for (size_t j = 0; j < 2 * ARRAY_LEN(steps); j++) {
			double step = steps[j % ARRAY_LEN(steps)];
			struct graph g = graph_behind_a_door(&rng, 60);
			struct plan_params params = {.strategy = s, .delay = step, .size = 62};
			struct capture told, learned;

			graph_set_rates(&g, &rng, RATES_NARROW);
			for (size_t k = 0; k < g.n; k++)
				g.rate[k] *= k < 2 ? 0 : 10 / step / (double)g.n;
			told = capture_run(&g, &params, step);
			params.delay = 0;
			learned = capture_run(&g, &params, step);
			CHECK_INT(learned.visit_count, g.n);
			CHECK(memcmp(told.visits, learned.visits, g.n * sizeof *told.visits) == 0);
			CHECK(memcmp(told.revisits, learned.revisits,
				      g.n * sizeof *told.revisits) == 0);
			CHECK(memcmp(told.hopeless, learned.hopeless, g.n) == 0);
			capture_release(&told);
			capture_release(&learned);
			graph_release(&g);
		}
	}
}

enum weights { WEIGHTS_LOGNORMAL, WEIGHTS_ONE_OR_TEN, WEIGHTS_HOT_HEAVY, WEIGHTS_COLD_HEAVY };

static double random_weight(struct rng *rng, enum weights kind, double rate)
{
	switch (kind) {
	case WEIGHTS_ONE_OR_TEN:
		return rng_below(rng, 5) ? 1 : 10;
	case WEIGHTS_HOT_HEAVY:
		return sqrt(rate);
	case WEIGHTS_COLD_HEAVY:
		return 1 / sqrt(rate);
	default:
		return exp(rng_normal(rng));
	}
}

/* A site with links in 40 to a page, lognormal rates and weights. */
static struct graph graph_weighted(struct rng *rng, size_t n, enum weights kind)
{
	struct graph g = graph_from_parents(n, wide_parent);

	g.weight = need(n, sizeof *g.weight);
	for (size_t i = 0; i < n; i++) {
		g.rate[i] = exp(2 * rng_normal(rng) - 1) / (double)n;
		g.weight[i] = (float)random_weight(rng, kind, g.rate[i]);
	}
	return g;
}

/* What stillpoint-online reaches, in weight, when the plan is told the weights and when it is not.
 */
static void compare_weighted(const struct graph *g, double sums[3])
{
	struct plan_params params = {.strategy = plan_strategy_find("stillpoint-online", false),
		.delay = 1,
		.size = (uint32_t)g->n};
	struct graph unweighted = *g;
	struct capture c;

	sums[0] += coherence_of(g, "stillpoint-offline", 1, 0);
	sums[1] += coherence_of(g, "stillpoint-online", 1, (uint32_t)g->n);
	unweighted.weight = NULL;
	c = capture_run(&unweighted, &params, 1);
	sums[2] += capture_coherence(g, &c, true, 1);
	capture_release(&c);
}

/* Weights count in the order of visits: worth much where weights and rates are not of one mind. */
static void test_weights(void)
{
	enum { N = 400, REPEATS = 4 };
	static const struct {
		const char *label;
		enum weights kind;
		double least; /* share of the optimum, which knows all pages beforehand */
		double gain;  /* over not knowing the weights, at least */
	} rows[] = {
		{"lognormal", WEIGHTS_LOGNORMAL, 0.93, 1.05},
		{"1 or 10", WEIGHTS_ONE_OR_TEN, 0.93, 1.05},
		{"hot pages are heavy", WEIGHTS_HOT_HEAVY, 0.88, 1.03},
		{"cold pages are heavy", WEIGHTS_COLD_HEAVY, 0.95, 1},
	};
	struct rng rng;

	rng_init(&rng, 44);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		double sums[3] = {0};

		tap_case("weights: %s", rows[i].label);
		for (int repeat = 0; repeat < REPEATS; repeat++) {
			struct graph g = graph_weighted(&rng, N, rows[i].kind);

			compare_weighted(&g, sums);
			graph_release(&g);
		}
		tap_note("optimum %.3f, online %.3f, without weights %.3f", sums[0], sums[1],
			sums[2]);
		CHECK(sums[1] <= sums[0] * (1 + 1e-9));
		CHECK(sums[1] >= rows[i].least * sums[0]);
		CHECK(sums[1] >= rows[i].gain * sums[2]);
	}
}

/* Weights that are all equal are as good as none. */
static void test_equal_weights(void)
{
	static const float weights[] = {0, 1e-30F, 7, 1e30F};
	struct plan_params params = {.strategy = plan_strategy_find("stillpoint-online", false),
		.delay = 1,
		.size = 300};
	struct rng rng;

	rng_init(&rng, 45);
	for (size_t i = 0; i < ARRAY_LEN(weights); i++) {
		struct graph g = graph_weighted(&rng, 300, WEIGHTS_LOGNORMAL), plain = g;
		struct capture weighted, unweighted;

		for (size_t k = 0; k < g.n; k++)
			g.weight[k] = weights[i];
		plain.weight = NULL;
		weighted = capture_run(&g, &params, 1);
		unweighted = capture_run(&plain, &params, 1);
		CHECK(memcmp(weighted.visits, unweighted.visits, g.n * sizeof *g.links) == 0);
		capture_release(&weighted);
		capture_release(&unweighted);
		graph_release(&g);
	}
}

/* Whatever size is said: every page is visited, at no great cost. */
static void test_absurd_sizes(void)
{
	static const uint32_t sizes[] = {1, 1000000, UINT32_MAX};
	const struct plan_strategy *s;
	struct rng rng;

	rng_init(&rng, 9);
	for (size_t i = 0; (s = plan_strategy_at(i)); i++) {
		if (s->offline)
			continue;
		tap_case("absurd sizes: %s", s->name);
		for (size_t j = 0; j < ARRAY_LEN(sizes); j++) {
			struct graph g = graph_random(&rng, 30, 30);
			struct plan_params params = {.strategy = s, .delay = 1, .size = sizes[j]};
			struct capture c;

			graph_set_rates(&g, &rng, RATES_WIDE);
			c = capture_run(&g, &params, 1);
			CHECK_INT(c.visit_count, g.n);
			CHECK_INT(c.revisit_count, s->revisits ? g.n : 0);
			capture_release(&c);
			graph_release(&g);
		}
	}
}

/* No strategy that revisits may expect more than stillpoint-offline. */
static bool dominates(const struct graph *g, double delay)
{
	double best = coherence_of(g, "stillpoint-offline", delay, 0);
	const struct plan_strategy *s;
	bool ok = true;

	for (size_t i = 0; (s = plan_strategy_at(i)); i++) {
		double other;

		if (!s->revisits)
			continue;
		other = coherence_of(g, s->name, delay, (uint32_t)g->n);
		if (!CHECK(other <= best + 1e-9)) {
			tap_note(
				"%s expects %.12f, stillpoint-offline %.12f", s->name, other, best);
			ok = false;
		}
	}
	return ok;
}

static void test_offline_is_best(void)
{
	struct rng rng;

	rng_init(&rng, 1000);
	for (enum rates kind = 0; kind < RATES_KINDS; kind++) {
		bool ok = true;

		tap_case("offline is best: %s rates", rates_name[kind]);
		for (size_t repeat = 0; ok && repeat < tap_rounds(170); repeat++) {
			size_t n = 1 + rng_below(&rng, 60);
			struct graph g = graph_random(&rng, n, rng_below(&rng, n + 1));

			graph_set_rates(&g, &rng, kind);
			ok = dominates(&g, power_between(&rng, -2, 2));
			graph_release(&g);
		}
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_sharc_tree();
	test_solar_tree();
	test_hidden();
	TAP_RUN(test_unknown_delay);
	test_learned_delay();
	test_weights();
	TAP_RUN(test_equal_weights);
	test_absurd_sizes();
	test_offline_is_best();
	return tap_done();
}
