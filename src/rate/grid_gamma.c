/*
 * Gamma priors of classes by EM, on the same grid. The expected rate and the expected logarithm of
 * the rate of a page are all that a Gamma distribution wants to know of it:
 *
 *	log(shape) - digamma(shape) = log(mean rate) - mean of log(rate),  time = shape / mean rate
 *
 * A class counts `strength` more pages that are distributed as its parent says, fewer where its
 * pages show that they are not: a calm directory beside a busy one must not inherit its mean. The
 * evidence is how much likelier the class's own prior makes its pages than its parent's does:
 *
 *	strength / (1 + max(0, gain of the log-likelihood - GAIN_FREE))
 *
 * GAIN_FREE is what two fitted numbers gain by chance, and some more. Each grid rate
 * stands for the cell around it, the first for everything below it too: small shapes have much of
 * their mass there, at rates too small to write down.
 */
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "rate/brent.h"
#include "rate/gamma_page.h"
#include "rate/grid.h"
#include "rate/incomplete_gamma.h"
#include "rate/tree.h"

enum { STEPS_ROOT = 60, STEPS = 6, START_PAGES = 512 };

static const double SHAPE_LOW = 0.01, SHAPE_HIGH = 100;
static const double GAIN_FREE = 3;

/* Sums over pages: their number, expected rates, expected logarithms of rates, log-likelihoods. */
struct moments {
	double pages, rate, log_rate, log_likelihood;
};

/* What a Gamma distribution gives to each cell of the grid. */
struct cells {
	double mass[RATE_GRID_SIZE], rate[RATE_GRID_SIZE], log_rate[RATE_GRID_SIZE];
};

struct fit {
	const struct rate_grid *grid;
	const struct rate_tree *tree;
	struct rate_levels levels;
	struct rate_row *likelihoods; /* by page */
	struct cells *cells;          /* by class */
	struct moments *moments;      /* by class */
	double *strengths;            /* by class: pages that its parent counts for */
	double *inherited;            /* by class: log-likelihood under its parent's prior */
};

static void find_cells(const struct rate_grid *grid, struct rate_gamma g, struct cells *ret)
{
	double below = 0;

	for (size_t k = 0; k < RATE_GRID_SIZE; k++) {
		double edge = k + 1 < RATE_GRID_SIZE ? sqrt(grid->rates[k] * grid->rates[k + 1])
						     : INFINITY;
		double up_to = rate_gamma_p(g.shape, g.time * edge);

		ret->mass[k] = fmax(up_to - below, RATE_SMALLEST);
		ret->rate[k] = grid->rates[k];
		ret->log_rate[k] = log(grid->rates[k]);
		if (k == 0) { /* the density is a power there */
			ret->rate[k] = edge * g.shape / (g.shape + 1);
			ret->log_rate[k] = log(edge) - 1 / g.shape;
		}
		below = up_to;
	}
}

void rate_gamma_cells(const struct rate_grid *g, struct rate_gamma gamma, struct rate_row *ret)
{
	struct cells cells;
	double sum = 0;

	find_cells(g, rate_gamma_clean(gamma), &cells);
	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		sum += cells.mass[k];
	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		ret->at[k] = cells.mass[k] / sum;
}

static void add_page(struct moments *m, const struct cells *c, const struct rate_row *likelihood)
{
	double sum = 0, rate = 0, log_rate = 0;

	for (size_t k = 0; k < RATE_GRID_SIZE; k++) {
		double p = c->mass[k] * likelihood->at[k];

		sum += p;
		rate += p * c->rate[k];
		log_rate += p * c->log_rate[k];
	}
	if (!(sum > 0))
		return;
	m->pages++;
	m->log_likelihood += log(sum);
	m->rate += rate / sum;
	m->log_rate += log_rate / sum;
}

static double excess(const void *context, double log_shape)
{
	double shape = exp(log_shape);

	return log_shape - rate_digamma(shape) - *(const double *)context;
}

static struct rate_gamma most_likely(struct moments m)
{
	double mean = m.rate / m.pages, gap = log(mean) - m.log_rate / m.pages;
	double shape = exp(rate_brent(excess, &gap, log(SHAPE_LOW), log(SHAPE_HIGH), 1e-9));

	return rate_gamma_clean((struct rate_gamma){shape, shape / mean});
}

/* What the parent says counts as so many pages; the root has none. */
static struct moments start_moments(
	const struct fit *f, uint32_t c, const struct rate_gamma *priors)
{
	struct rate_gamma g;

	if (c == 0)
		return (struct moments){0};
	g = priors[f->tree->parents[c]];
	return (struct moments){
		.pages = f->strengths[c],
		.rate = f->strengths[c] * rate_gamma_mean(g),
		.log_rate = f->strengths[c] * (rate_digamma(g.shape) - log(g.time)),
	};
}

static void step(const struct fit *f, uint32_t depth, struct rate_gamma *priors)
{
	const struct rate_tree *t = f->tree;

	for (uint32_t c = 0; c < t->classes; c++)
		if (f->levels.depths[c] == depth) {
			f->moments[c] = start_moments(f, c, priors);
			find_cells(f->grid, priors[c], &f->cells[c]);
		}
	for (size_t i = 0; i < t->pages; i++) {
		uint32_t c;

		if (rate_levels_find(&f->levels, t, i, depth, &c))
			add_page(&f->moments[c], &f->cells[c], &f->likelihoods[i]);
	}
	for (uint32_t c = 0; c < t->classes; c++)
		if (f->levels.depths[c] == depth && f->moments[c].pages > 0)
			priors[c] = most_likely(f->moments[c]);
}

static void fit_depth(const struct fit *f, uint32_t depth, struct rate_gamma *priors)
{
	int steps = depth == 0 ? STEPS_ROOT : STEPS;

	for (uint32_t c = 1; c < f->tree->classes; c++)
		if (f->levels.depths[c] == depth)
			priors[c] = priors[f->tree->parents[c]];
	for (int i = 0; i < steps; i++) {
		step(f, depth, priors);
		for (uint32_t c = 1; i == 0 && c < f->tree->classes; c++)
			if (f->levels.depths[c] == depth)
				f->inherited[c] = f->moments[c].log_likelihood;
	}
}

/* Classes that differ from their parents are fitted again, with less of these. */
static void loosen(const struct fit *f, uint32_t depth, struct rate_gamma *priors)
{
	for (uint32_t c = 1; c < f->tree->classes; c++)
		if (f->levels.depths[c] == depth)
			f->strengths[c] /= 1 + fmax(0, f->moments[c].log_likelihood -
							       f->inherited[c] - GAIN_FREE);
	for (int i = 0; i < STEPS; i++)
		step(f, depth, priors);
}

static double log_likelihood(const struct fit *f, struct rate_gamma g)
{
	size_t stride = f->tree->pages / START_PAGES + 1;
	struct moments m = {0};
	struct cells cells;

	find_cells(f->grid, g, &cells);
	for (size_t i = 0; i < f->tree->pages; i += stride)
		add_page(&m, &cells, &f->likelihoods[i]);
	return m.log_likelihood;
}

/*
 * Where the root begins: the likeliest of some shapes and all grid rates. EM needs thousands of
 * steps from far away where each page was seen to change once, or not at all: that tells little of
 * its rate, so every step is short.
 */
static struct rate_gamma find_start(const struct fit *f)
{
	static const double SHAPES[] = {0.125, 0.25, 0.5, 1, 2, 4};
	struct rate_gamma best = {1, 1};
	double most = -INFINITY;

	for (size_t s = 0; s < sizeof SHAPES / sizeof SHAPES[0]; s++)
		for (size_t k = 0; k < RATE_GRID_SIZE; k++) {
			struct rate_gamma g = rate_gamma_clean(
				(struct rate_gamma){SHAPES[s], SHAPES[s] / f->grid->rates[k]});
			double is = log_likelihood(f, g);

			if (is > most) {
				most = is;
				best = g;
			}
		}
	return best;
}

static void fit_all(const struct fit *f, struct rate_gamma *priors)
{
	priors[0] = find_start(f);
	for (uint32_t d = 0; d <= f->levels.deepest; d++) {
		fit_depth(f, d, priors);
		if (d > 0)
			loosen(f, d, priors);
	}
}

static int allocate(struct fit *f, double strength)
{
	size_t n = f->tree->classes + 1;

	f->likelihoods = rate_tree_likelihoods(f->tree);
	f->cells = calloc(n, sizeof *f->cells);
	f->moments = calloc(n, sizeof *f->moments);
	f->strengths = calloc(n, sizeof *f->strengths);
	f->inherited = calloc(n, sizeof *f->inherited);
	if (!f->likelihoods || !f->cells || !f->moments || !f->strengths || !f->inherited)
		return ERR_NOMEM;
	for (size_t c = 0; c < n; c++)
		f->strengths[c] = fmax(strength, 1e-6);
	return 0;
}

int rate_gamma_fit_tree(const struct rate_grid *g, const struct rate_tree *tree, double strength,
	struct rate_gamma *ret)
{
	struct fit f = {.grid = g, .tree = tree};
	int rc = rate_levels_init(&f.levels, tree);

	if (rc == 0)
		rc = allocate(&f, strength);
	if (rc == 0)
		fit_all(&f, ret);
	free(f.likelihoods);
	free(f.cells);
	free(f.moments);
	free(f.strengths);
	free(f.inherited);
	rate_levels_release(&f.levels);
	return rc;
}
