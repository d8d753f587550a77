/* Groups: the heuristic against brute force and against its own bound. */
#include "plan/group.h"

#include <math.h>
#include <string.h>

#include "families.h"
#include "plan/assign.h"
#include "plan/plan.h"
#include "tap.h"

enum { SMALL = 7, LARGE = 200 };

/* Groups over all pages of a problem. */
static struct groups make(const struct instance *t, const struct group_edge *edges, size_t count)
{
	static uint32_t same[LARGE];
	struct groups g;

	for (uint32_t i = 0; i < LARGE; i++)
		same[i] = i;
	CHECK_INT(groups_init(&g, &(struct groups_params){.edges = edges,
					  .edge_count = count,
					  .index_of = same,
					  .pages = t->p.n,
					  .weight = t->weight,
					  .n = t->p.n}),
		0);
	return g;
}

/* The best of all assignments that agree up to interval j. */
static double brute(
	const struct groups *g, const struct assign_problem *p, uint32_t *page_of, size_t j)
{
	double best = 0;

	if (j == p->n)
		return groups_value(g, p, page_of);
	for (size_t k = j; k < p->n; k++) {
		uint32_t swap = page_of[j];

		page_of[j] = page_of[k];
		page_of[k] = swap;
		best = fmax(best, brute(g, p, page_of, j + 1));
		page_of[k] = page_of[j];
		page_of[j] = swap;
	}
	return best;
}

/* A start that knows nothing of groups, then the heuristic. */
static double solve(const struct groups *g, struct instance *t)
{
	struct assign_solution s = {0};

	CHECK_INT(assign_solve(&t->p, false, ASSIGN_PAGES, &s), 0);
	memcpy(t->page_of, s.page_of, t->p.n * sizeof *t->page_of);
	assign_solution_release(&s);
	CHECK_INT(groups_solve(g, &t->p, t->p.n, false, t->page_of), 0);
	return groups_value(g, &t->p, t->page_of);
}

static size_t random_edges(struct rng *rng, struct group_edge *e, size_t n, size_t most)
{
	size_t count = rng_below(rng, most + 1);

	for (size_t i = 0; i < count; i++)
		e[i] = (struct group_edge){
			(uint32_t)rng_below(rng, (n + 1) / 2), (uint32_t)rng_below(rng, n)};
	return count;
}

static void test_small(void)
{
	struct rng rng;
	double worst = 0, worst_bound = 0, sum = 0, best_sum = 0;

	rng_init(&rng, 31);
	for (size_t f = 0; f < FAMILIES_N; f++) {
		tap_case("groups by brute force: %s", families[f].label);
		for (size_t round = 0; round < tap_rounds(8); round++) {
			size_t n = 2 + rng_below(&rng, SMALL - 1);
			struct group_edge edges[2 * SMALL];
			size_t count = random_edges(&rng, edges, n, 2 * n);
			double value, best, bound;
			struct instance t;
			struct groups g;

			instance_init(&t, &families[f], &rng, n);
			g = make(&t, edges, count);
			value = solve(&g, &t);
			CHECK_INT(groups_bound(&g, &t.p, false, t.page_of, &bound), 0);
			best = brute(&g, &t.p, t.page_of, 0);
			CHECK(value <= best * (1 + 1e-9));
			CHECK(bound >= best * (1 - 1e-9));
			CHECK(value >= 0.85 * best);
			if (best > 0) {
				worst = fmax(worst, 1 - value / best);
				worst_bound = fmax(worst_bound, bound / best - 1);
				sum += value / best;
				best_sum += 1;
			}
			groups_release(&g);
			instance_release(&t);
		}
	}
	tap_note("mean share of the optimum %.4f %%, worst %.2f %%", 100 * sum / best_sum,
		100 * (1 - worst));
	CHECK(sum >= 0.998 * best_sum);
}

/* Without groups the value is that of the pages, and so is the optimum. */
static void test_no_groups(void)
{
	struct rng rng;

	rng_init(&rng, 32);
	for (size_t f = 0; f < FAMILIES_N; f++) {
		struct instance t;
		struct groups g;
		struct assign_solution s = {0};
		double bound;

		tap_case("no groups: %s", families[f].label);
		instance_init(&t, &families[f], &rng, 60);
		g = make(&t, NULL, 0);
		CHECK_INT(g.count, 0);
		CHECK_INT(assign_solve(&t.p, false, ASSIGN_BOUND, &s), 0);
		CHECK_NEAR(solve(&g, &t), assign_total(&t.p, s.page_of), 1e-9 * fmax(1, s.bound));
		CHECK_INT(groups_bound(&g, &t.p, false, t.page_of, &bound), 0);
		CHECK_NEAR(bound, s.bound, 1e-6 * fmax(1, s.bound));
		assign_solution_release(&s);
		groups_release(&g);
		instance_release(&t);
	}
}

/* ---- while pages are discovered ---- */

/*
 * What a run of stillpoint-online expects of whole groups, one download after the other. All pages
 * are known from the beginning; what they need is told before that, with them, or never.
 */
enum telling { BEFORE, WITH_PAGE, NEVER };

/* So often that a requisite would stand for itself if an edge counted more than once. */
static void tell(struct plan_run *run, const struct group_edge *e, size_t count, uint32_t page)
{
	for (size_t i = 0; i < count; i++)
		for (int k = 0; k <= GROUP_SHARED_MAX; k++)
			if (page == UINT32_MAX || e[i].page == page)
				CHECK_INT(plan_group(run, e[i].page, &e[i].requisite, 1), 0);
}

static double capture_online(const struct instance *t, const struct groups *g,
	const struct group_edge *edges, size_t count, enum telling telling)
{
	struct plan_params params = {.strategy = plan_strategy_find("stillpoint-online", false),
		.delay = 1,
		.size = (uint32_t)t->p.n};
	struct err err = {0};
	struct plan_run *run = plan_run_new(&params, &err);
	double length[LARGE], sum = 0, slot = -1;
	struct plan_order o;
	enum plan_leg leg = PLAN_VISIT;

	for (uint32_t i = 0; i < t->p.n; i++)
		CHECK_INT(plan_discovered(run, i, t->survival[i], t->weight ? t->weight[i] : 1), 0);
	if (telling == BEFORE)
		tell(run, edges, count, UINT32_MAX);
	while (plan_next(run, fmax(slot, 0), &o) == PLAN_ORDER) {
		slot += o.leg == leg; /* one page has both slots at the barrier */
		leg = o.leg;
		length[o.page] = leg == PLAN_VISIT ? -slot : length[o.page] + slot;
		if (leg == PLAN_VISIT && telling == WITH_PAGE)
			tell(run, edges, count, o.page);
		plan_done(run, &o, PLAN_OK, slot, slot);
	}
	CHECK_INT(plan_error(run), 0);
	CHECK_INT(plan_progress(run).revisited, t->p.n);
	plan_run_free(run);
	for (size_t a = 0; a < g->count; a++) {
		double whole = g->weight[a];

		for (size_t k = g->from[a]; k < g->from[a + 1]; k++)
			whole *= survival_at(t->survival[g->member[k]], length[g->member[k]]);
		sum += whole;
	}
	for (uint32_t i = 0; i < t->p.n; i++)
		sum += g->grouped[i]
			       ? 0
			       : assign_weight(&t->p, i) * survival_at(t->survival[i], length[i]);
	return sum;
}

/* Against the best of all schedules; lengths are those of the pyramid. */
static void test_online_small(void)
{
	double sum[3] = {0}, count = 0, worst = 1;
	struct rng rng;

	tap_case("groups while discovering, by brute force");
	rng_init(&rng, 35);
	for (size_t round = 0; round < tap_rounds(120); round++) {
		size_t n = 2 + rng_below(&rng, SMALL - 1);
		struct group_edge edges[2 * SMALL];
		size_t edge_count = random_edges(&rng, edges, n, 2 * n);
		const struct family *family = &families[rng_below(&rng, FAMILIES_N)];
		struct instance t;
		struct groups g;
		double best;

		instance_init(&t, family, &rng, n);
		t.p.length = NULL;
		t.p.step = 2;
		g = make(&t, edges, edge_count);
		for (uint32_t i = 0; i < n; i++)
			t.page_of[i] = i;
		best = brute(&g, &t.p, t.page_of, 0);
		for (int telling = 0; best > 0 && telling < 3; telling++) {
			double value =
				capture_online(&t, &g, edges, edge_count, (enum telling)telling);

			CHECK(value <= best * (1 + 1e-9));
			if (telling == BEFORE)
				worst = fmin(worst, value / best);
			sum[telling] += value / best;
		}
		count += best > 0;
		groups_release(&g);
		instance_release(&t);
	}
	tap_note("share of the optimum: told before %.2f %% (worst %.2f %%), with their page %.2f "
		 "%%, never %.2f %%",
		100 * sum[BEFORE] / count, 100 * worst, 100 * sum[WITH_PAGE] / count,
		100 * sum[NEVER] / count);
	CHECK(sum[BEFORE] >= 0.999 * count);
	CHECK(sum[BEFORE] > sum[NEVER]);
	CHECK(sum[WITH_PAGE] > sum[NEVER]);
}

/* The same sites as in test_gap: more is expected of whole groups when they are known. */
static void test_online_large(void)
{
	double sum[3] = {0};
	struct rng rng;

	tap_case("groups while discovering, larger sites");
	rng_init(&rng, 34);
	for (size_t round = 0; round < tap_rounds(4); round++) {
		struct group_edge edges[LARGE];
		struct instance t;
		struct groups g;

		instance_init(&t, &families[1], &rng, LARGE);
		t.p.length = NULL;
		t.p.step = 2;
		for (uint32_t i = 0; i < LARGE; i++)
			edges[i] = (struct group_edge){
				i % 50, 50 + (uint32_t)rng_below(&rng, LARGE - 50)};
		g = make(&t, edges, LARGE);
		for (int telling = 0; telling < 3; telling++)
			sum[telling] += capture_online(&t, &g, edges, LARGE, (enum telling)telling);
		groups_release(&g);
		instance_release(&t);
	}
	tap_note("whole groups: told before %.2f, with their page %.2f, never %.2f", sum[BEFORE],
		sum[WITH_PAGE], sum[NEVER]);
	CHECK(sum[BEFORE] > 1.05 * sum[NEVER]);
	CHECK(sum[WITH_PAGE] > 1.02 * sum[NEVER]);
}

static void test_shared(void)
{
	struct group_edge edges[2 * (GROUP_SHARED_MAX + 1)];
	struct rng rng;
	struct instance t;
	struct groups g;
	size_t n = 0;

	tap_case("a requisite of more than 16 pages stands for itself");
	rng_init(&rng, 33);
	instance_init(&t, &families[0], &rng, 40);
	for (uint32_t i = 0; i <= GROUP_SHARED_MAX; i++)
		edges[n++] = (struct group_edge){i, 39}; /* by 17 pages */
	for (uint32_t i = 0; i < GROUP_SHARED_MAX; i++)
		edges[n++] = (struct group_edge){i, 38}; /* by 16 */
	g = make(&t, edges, n);
	CHECK(!g.grouped[39]);
	CHECK(g.grouped[38]);
	CHECK_INT(g.count, GROUP_SHARED_MAX);
	groups_release(&g);
	instance_release(&t);
}

/* Pages with requisites: what it gains over a plan that knows nothing of groups, and the gap. */
static void test_gap(void)
{
	double plain_sum = 0, sum = 0, bound_sum = 0;
	struct rng rng;

	tap_case("gap of larger sites");
	rng_init(&rng, 34);
	for (size_t round = 0; round < tap_rounds(4); round++) {
		struct group_edge edges[LARGE];
		struct instance t;
		struct groups g;
		struct assign_solution s = {0};
		double plain, value, bound;

		instance_init(&t, &families[1], &rng, LARGE);
		for (uint32_t i = 0; i < LARGE;
			i++) /* 50 pages; three requisites each, some shared */
			edges[i] = (struct group_edge){
				i % 50, 50 + (uint32_t)rng_below(&rng, LARGE - 50)};
		g = make(&t, edges, LARGE);
		CHECK_INT(assign_solve(&t.p, false, ASSIGN_PAGES, &s), 0);
		plain = groups_value(&g, &t.p, s.page_of);
		assign_solution_release(&s);
		value = solve(&g, &t);
		CHECK_INT(groups_bound(&g, &t.p, false, t.page_of, &bound), 0);
		CHECK(value >= plain * (1 - 1e-9));
		CHECK(bound >= value * (1 - 1e-9));
		plain_sum += plain;
		sum += value;
		bound_sum += bound;
		groups_release(&g);
		instance_release(&t);
	}
	tap_note("without groups %.2f, with them %.2f, bound %.2f", plain_sum, sum, bound_sum);
	CHECK(sum > 1.05 * plain_sum);
}

int main(void)
{
	test_small();
	test_no_groups();
	test_shared();
	test_gap();
	test_online_small();
	test_online_large();
	return tap_done();
}
