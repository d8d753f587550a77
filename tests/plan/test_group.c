/* Groups: the heuristic against brute force and against its own bound. */
#include "plan/group.h"

#include <math.h>
#include <string.h>

#include "families.h"
#include "plan/assign_solve.h"
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
	CHECK_INT(groups_solve(g, &t->p, false, t->page_of), 0);
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
	return tap_done();
}
