#include "plan/rate_grid.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "tap.h"

enum { DIRECTORIES = 3, PAGES = 900, VISITS = 15, CLASSES = DIRECTORIES + 2 };

/* The root, two directories of 300 pages, one of 300 in the first, and one without pages. */
static const uint32_t PARENTS[CLASSES] = {0, 0, 0, 1, 2};
static const double RATES[DIRECTORIES] = {0.2, 0.002, 0.03};

struct site {
	struct rate_grid grid;
	struct rate_row *logs;
	uint32_t classes[PAGES];
	struct rate_tree tree;
};

/* Each directory has one rate; the pages of the third are watched for long. */
static void site_make(struct site *s)
{
	struct rng r;

	rng_init(&r, 3);
	rate_grid_init(&s->grid, 1e-6, 10);
	s->logs = calloc(PAGES, sizeof *s->logs);
	for (size_t i = 0; i < PAGES; i++) {
		s->classes[i] = 1 + (uint32_t)(i % DIRECTORIES);
		for (size_t k = 0; k < VISITS; k++) {
			double length = rng_exponential(&r, 0.02);
			bool changed = rng_exponential(&r, RATES[i % DIRECTORIES]) <= length;

			rate_grid_observe(&s->grid, &s->logs[i],
				(struct rate_interval){.length = length, .changed = changed});
		}
	}
	s->tree = (struct rate_tree){CLASSES, PARENTS, PAGES, s->classes, s->logs};
}

static void check_probabilities(const struct rate_row *p)
{
	double sum = 0;

	for (size_t k = 0; k < RATE_GRID_SIZE; k++) {
		CHECK(p->at[k] >= 0);
		sum += p->at[k];
	}
	CHECK_NEAR(sum, 1, 1e-9);
}

/* A directory's prior finds the rate of its pages; a class without pages has its parent's. */
static void test_tree(void)
{
	struct rate_row priors[CLASSES];
	struct rate_gamma gammas[CLASSES];
	struct site s;

	site_make(&s);
	CHECK_INT(rate_grid_fit(&s.tree, NULL, 1, priors), 0);
	CHECK_INT(rate_gamma_fit_tree(&s.grid, &s.tree, 1, gammas), 0);
	for (size_t c = 0; c < CLASSES; c++)
		check_probabilities(&priors[c]);
	/* One page like the root's, of mean 0.08, among 300 adds 0.0003. */
	CHECK_NEAR(rate_grid_mean(&s.grid, &priors[2]), RATES[1], 0.5 * RATES[1]);
	CHECK_NEAR(gammas[2].shape / gammas[2].time, RATES[1], 0.5 * RATES[1]);
	CHECK_NEAR(rate_grid_mean(&s.grid, &priors[3]), RATES[2], 0.1 * RATES[2]);
	CHECK_NEAR(gammas[3].shape / gammas[3].time, RATES[2], 0.1 * RATES[2]);
	/* class 1 holds its own pages and those of class 3 */
	CHECK_NEAR(rate_grid_mean(&s.grid, &priors[1]), (RATES[0] + RATES[2]) / 2, 0.02);
	CHECK_NEAR(rate_grid_mean(&s.grid, &priors[4]), rate_grid_mean(&s.grid, &priors[2]), 1e-12);
	free(s.logs);
}

/* The more its parent counts, the nearer a class stays to it. */
static void test_strength(void)
{
	struct rate_row priors[CLASSES];
	struct site s;

	site_make(&s);
	CHECK_INT(rate_grid_fit(&s.tree, NULL, 1e9, priors), 0);
	for (size_t c = 1; c < CLASSES; c++)
		CHECK_NEAR(rate_grid_mean(&s.grid, &priors[c]), rate_grid_mean(&s.grid, &priors[0]),
			1e-5);
	free(s.logs);
}

/* One grid point with all the probability: 1 - e^(-rate h); and Bayes' rule with two. */
static void test_page(void)
{
	struct rate_row prior = {{0}}, logs = {{0}}, posterior;
	struct rate_grid g;
	double a, b;

	rate_grid_init(&g, 1e-3, 1e-3 * pow(10, RATE_GRID_SIZE - 1));
	CHECK_NEAR(g.rates[1], 1e-2, 1e-15);
	prior.at[1] = 1;
	CHECK_NEAR(rate_grid_within(&g, &prior, 7), -expm1(-0.07), 1e-15);
	CHECK_NEAR(rate_grid_within(&g, &prior, NAN), 0, 0);
	prior.at[1] = prior.at[2] = 0.5;
	rate_grid_observe(&g, &logs, (struct rate_interval){.length = 10, .changed = true});
	rate_grid_observe(&g, &logs, (struct rate_interval){.length = 20, .changed = false});
	rate_grid_observe(&g, &logs, (struct rate_interval){.length = -20, .changed = false});
	rate_grid_posterior(&prior, &logs, &posterior);
	a = -expm1(-0.1) * exp(-0.2);
	b = -expm1(-1) * exp(-2);
	CHECK_NEAR(posterior.at[1], a / (a + b), 1e-12);
	CHECK_NEAR(posterior.at[2], b / (a + b), 1e-12);
}

/* No pages, and no visits: priors are there all the same. */
static void test_empty(void)
{
	static const uint32_t ROOT[] = {0}, CLASS[] = {0};
	struct rate_row logs = {{0}}, prior;
	struct rate_tree tree = {1, ROOT, 0, CLASS, &logs};
	struct rate_gamma gamma;
	struct rate_grid g;

	rate_grid_init(&g, 1e-6, 10);
	for (tree.pages = 0; tree.pages < 2; tree.pages++) {
		CHECK_INT(rate_grid_fit(&tree, NULL, 5, &prior), 0);
		CHECK_INT(rate_gamma_fit_tree(&g, &tree, 5, &gamma), 0);
		check_probabilities(&prior);
		CHECK(isfinite(gamma.shape) && isfinite(gamma.time) && gamma.time > 0);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_tree);
	TAP_RUN(test_strength);
	TAP_RUN(test_page);
	TAP_RUN(test_empty);
	return tap_done();
}
