/* The optimum against published values, closed forms and its own definition. */
#include "plan/refresh_allocate.h"

#include <math.h>

#include "base/rng.h"
#include "inspect/page_line.h"
#include "tap.h"

/* Cho and Garcia-Molina, table of section 4.3: five pages, rates 1 to 5, five looks. */
static void test_published(void)
{
	static const struct refresh_page PAGES[] = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}};
	static const double WANT[] = {1.15, 1.36, 1.35, 1.14, 0};
	double f[5];

	tap_case("fresh-periodic: the published example");
	(void)refresh_optimum(REFRESH_FRESH_PERIODIC, PAGES, 5, 5, f);
	for (size_t i = 0; i < 5; i++)
		CHECK_NEAR(f[i], WANT[i], 0.005);
}

/* f_i + λ_i is proportional to sqrt(λ_i): rates 1 and 4, three looks, so 8/3 = 1 + f, 16/3 = 4 + f.
 */
static void test_closed_form(void)
{
	static const struct refresh_page PAGES[] = {{1, 1}, {4, 1}};
	double f[2], multiplier;

	tap_case("fresh-poisson: by hand");
	multiplier = refresh_optimum(REFRESH_FRESH_POISSON, PAGES, 2, 3, f);
	CHECK_NEAR(f[0], 5.0 / 3, 1e-12);
	CHECK_NEAR(f[1], 4.0 / 3, 1e-12);
	CHECK_NEAR(multiplier, 9.0 / 64, 1e-12);
	CHECK_NEAR(refresh_total(REFRESH_FRESH_POISSON, PAGES, 2, f), 0.875, 1e-12);
}

/* Alike pages get alike, even where the demand of a page jumps from λ/37 to nothing. */
static void test_margin(void)
{
	static const struct refresh_page PAGES[] = {{1, 1}, {1, 1}, {2, 2}, {0, 1}, {3, 0}};
	double f[5];

	tap_case("the margin: tiny bandwidth goes to the marginal pages by rate");
	(void)refresh_optimum(REFRESH_FRESH_PERIODIC, PAGES, 5, 4e-6, f);
	CHECK_NEAR(f[0], 1e-6, 1e-15);
	CHECK_NEAR(f[1], 1e-6, 1e-15);
	CHECK_NEAR(f[2], 2e-6, 1e-15);
	CHECK(f[3] == 0 && f[4] == 0);
}

static void test_edges(void)
{
	static const struct refresh_page PAGES[] = {{2, 1}, {1, 3}}, STILL[] = {{0, 1}};
	double f[2];

	tap_case("no bandwidth, and nothing to gain");
	CHECK_NEAR(refresh_optimum(REFRESH_FRESH_PERIODIC, PAGES, 2, 0, f), 3, 0);
	CHECK(isinf(refresh_optimum(REFRESH_AGE_POISSON, PAGES, 2, 0, f)));
	CHECK(isinf(refresh_total(REFRESH_AGE_PERIODIC, PAGES, 2, f)));
	CHECK_NEAR(refresh_optimum(REFRESH_AGE_POISSON, STILL, 1, 5, f), 0, 0);
	CHECK_NEAR(refresh_total(REFRESH_FRESH_PERIODIC, STILL, 1, f), 1, 0);
}

/* At the demand for a margin, the value changes by that margin per unit: differences say so. */
static void test_demand(void)
{
	static const double RATES[] = {1e-3, 0.3, 1, 40}, MARGINS[] = {1e-4, 0.02, 0.7};

	for (int o = 0; o < REFRESH_OBJECTIVES; o++)
		for (size_t k = 0; k < ARRAY_LEN(RATES) * ARRAY_LEN(MARGINS); k++) {
			enum refresh_objective objective = (enum refresh_objective)o;
			double rate = RATES[k / 3], margin = MARGINS[k % 3];
			double f = refresh_demand(objective, rate, margin), h = f * 1e-4;
			double slope = (refresh_value(objective, rate, f + h) -
					       refresh_value(objective, rate, f - h)) /
				       (2 * h);

			tap_case("demand: objective %d, rate %g, margin %g", o, rate, margin);
			if (f > 0)
				CHECK_NEAR(fabs(slope) / margin, 1, 1e-5);
			else
				CHECK(o <= REFRESH_FRESH_POISSON && rate * margin >= 1);
		}
}

/* No transfer between two pages improves an optimum, and it spends what there is. */
static void test_optimal(void)
{
	enum { N = 8 };
	struct rng rng;

	rng_init(&rng, 16);
	for (int round = 0; round < 100; round++) {
		enum refresh_objective objective =
			(enum refresh_objective)(round % REFRESH_OBJECTIVES);
		double sign = objective <= REFRESH_FRESH_POISSON ? 1 : -1, f[N], best, sum = 0;
		double bandwidth = exp(2 * rng_normal(&rng));
		struct refresh_page pages[N];

		for (size_t i = 0; i < N; i++)
			pages[i] = (struct refresh_page){
				exp(2 * rng_normal(&rng)), exp(rng_normal(&rng))};
		(void)refresh_optimum(objective, pages, N, bandwidth, f);
		best = sign * refresh_total(objective, pages, N, f);
		tap_case("optimal: round %d", round);
		for (size_t i = 0; i < N; i++)
			sum += f[i];
		CHECK_NEAR(sum / bandwidth, 1, 1e-12);
		for (size_t k = 0; k < (size_t)N * N; k++) {
			size_t from = k / N, to = k % N;
			double moved = f[from] / 100, other;

			f[from] -= moved;
			f[to] += moved;
			other = sign * refresh_total(objective, pages, N, f);
			CHECK(other <= best + 1e-12 * fabs(best));
			f[to] -= moved;
			f[from] += moved;
		}
	}
}

static void test_lines(void)
{
	static const struct {
		const char *line;
		int rc;
		double rate, weight;
	} ROWS[] = {
		{"{\"rate\":0.5,\"weight\":2}", 0, 0.5, 2},
		{" {\"url\":[\"x\"], \"rate\" : 0 } ", 0, 0, 1},
		{"{\"weight\":2}", ERR_SYNTAX, 0, 0},
		{"{\"rate\":-1}", ERR_RANGE, 0, 0},
		{"{\"rate\":1e31}", ERR_RANGE, 0, 0},
		{"{\"rate\":null}", ERR_SYNTAX, 0, 0},
		{"{\"rate\":1} 2", ERR_SYNTAX, 0, 0},
		{"{\"rate\":1", ERR_SYNTAX, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct refresh_page page = {0};
		struct err err = {0};

		tap_case("lines: %s", ROWS[i].line);
		CHECK_INT(refresh_page_line(slice_str(ROWS[i].line), &page, &err), ROWS[i].rc);
		CHECK_NEAR(page.rate, ROWS[i].rate, 0);
		CHECK_NEAR(page.weight, ROWS[i].weight, 0);
		CHECK_INT(err.text[0] != '\0', ROWS[i].rc != 0);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_published();
	test_closed_form();
	test_margin();
	test_edges();
	test_demand();
	test_optimal();
	test_lines();
	return tap_done();
}
