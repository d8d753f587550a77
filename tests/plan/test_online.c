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

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct graph g = graph_sharc_tree(PAGES, rows[i].hot_leaves);
		double exact = PAGES - coherence_of(&g, "stillpoint-online", 3, PAGES);

		tap_case("%s leaves: size exact", rows[i].label);
		tap_note("%.1f expected incoherent pages", exact);
		CHECK(exact <= rows[i].incoherent_max);
		CHECK(exact >= 5617);
		for (size_t j = 0; j < ARRAY_LEN(sizes); j++) {
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
		struct graph g = graph_from_parents(1000, solar_parent);
		double got;

		rows[i].set_rates(&g);
		tap_case("SOLAR's tree, %s", rows[i].label);
		got = coherence_of(&g, "stillpoint-online", 1, 1000);
		CHECK(got >= rows[i].least && got <= rows[i].optimum + 5e-4);
		tap_case("SOLAR's tree, %s, size not given", rows[i].label);
		got = coherence_of(&g, "stillpoint-online", 1, 0);
		CHECK(got >= 0.99 * rows[i].least && got <= rows[i].optimum + 5e-4);
		graph_release(&g);
	}
}

/* A delay that is not given is learned from the downloads. */
static void test_unknown_delay(void)
{
	static const double step = 5;
	struct graph g = graph_from_parents(1000, solar_parent);
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
	enum { REPEATS = 170 };
	struct rng rng;

	rng_init(&rng, 1000);
	for (enum rates kind = 0; kind < RATES_KINDS; kind++) {
		bool ok = true;

		tap_case("offline is best: %s rates", rates_name[kind]);
		for (int repeat = 0; ok && repeat < REPEATS; repeat++) {
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
	TAP_RUN(test_unknown_delay);
	test_absurd_sizes();
	test_offline_is_best();
	return tap_done();
}
