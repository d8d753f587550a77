/*
 * EM. All classes of one depth are fitted together, from the root down: each page belongs to one
 * class of each depth up to its own. The prior of a class after a step is
 *
 *	(strength * parent's prior + sum of its pages' posteriors) / (strength + pages)
 *
 * which is the most likely one under a Dirichlet distribution around the parent's prior.
 */
#include "plan/rate_grid.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "plan/brent.h"
#include "plan/gamma_poisson.h"

static int rate_levels_init(struct rate_levels *l, const struct rate_tree *tree)
{
	*l = (struct rate_levels){.depths = calloc(tree->classes + 1, sizeof *l->depths)};
	if (!l->depths)
		return ERR_NOMEM;
	for (uint32_t c = 1; c < tree->classes; c++) {
		assert(tree->parents[c] < c);
		l->depths[c] = l->depths[tree->parents[c]] + 1;
		if (l->depths[c] > l->deepest)
			l->deepest = l->depths[c];
	}
	return 0;
}

void rate_levels_release(struct rate_levels *l)
{
	free(l->depths);
	*l = (struct rate_levels){0};
}

/* The class of that depth which the page is in or below; false when its own is not as deep. */
static bool rate_levels_find(const struct rate_levels *l, const struct rate_tree *tree, size_t page,
	uint32_t depth, uint32_t *ret_class)
{
	uint32_t c = tree->page_classes[page];

	if (l->depths[c] < depth)
		return false;
	while (l->depths[c] > depth)
		c = tree->parents[c];
	*ret_class = c;
	return true;
}

/* By page, each row up to a factor; the caller frees them. NULL: no memory. */
static struct rate_row *rate_tree_likelihoods(const struct rate_tree *tree)
{
	struct rate_row *rows = calloc(tree->pages + 1, sizeof *rows);
	struct rate_row flat;

	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		flat.at[k] = 1;
	for (size_t i = 0; rows && i < tree->pages; i++)
		rate_grid_posterior(&flat, &tree->logs[i], &rows[i]);
	for (size_t i = 0; rows && i < tree->pages; i++)
		for (size_t k = 0; k < RATE_GRID_SIZE; k++)
			if (rows[i].at[k] < RATE_SMALLEST)
				rows[i].at[k] = 0;
	return rows;
}

enum { GAMMA_STEPS_ROOT = 60, GAMMA_STEPS = 6, START_PAGES = 512 };

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

struct gamma_fit {
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
	const struct gamma_fit *f, uint32_t c, const struct rate_gamma *priors)
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

static void gamma_step(const struct gamma_fit *f, uint32_t depth, struct rate_gamma *priors)
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

static void gamma_fit_depth(const struct gamma_fit *f, uint32_t depth, struct rate_gamma *priors)
{
	int steps = depth == 0 ? GAMMA_STEPS_ROOT : GAMMA_STEPS;

	for (uint32_t c = 1; c < f->tree->classes; c++)
		if (f->levels.depths[c] == depth)
			priors[c] = priors[f->tree->parents[c]];
	for (int i = 0; i < steps; i++) {
		gamma_step(f, depth, priors);
		for (uint32_t c = 1; i == 0 && c < f->tree->classes; c++)
			if (f->levels.depths[c] == depth)
				f->inherited[c] = f->moments[c].log_likelihood;
	}
}

/* Classes that differ from their parents are fitted again, with less of these. */
static void loosen(const struct gamma_fit *f, uint32_t depth, struct rate_gamma *priors)
{
	for (uint32_t c = 1; c < f->tree->classes; c++)
		if (f->levels.depths[c] == depth)
			f->strengths[c] /= 1 + fmax(0, f->moments[c].log_likelihood -
							       f->inherited[c] - GAIN_FREE);
	for (int i = 0; i < GAMMA_STEPS; i++)
		gamma_step(f, depth, priors);
}

static double log_likelihood(const struct gamma_fit *f, struct rate_gamma g)
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
 * its rate, so every gamma_step is short.
 */
static struct rate_gamma find_start(const struct gamma_fit *f)
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

static void fit_all(const struct gamma_fit *f, struct rate_gamma *priors)
{
	priors[0] = find_start(f);
	for (uint32_t d = 0; d <= f->levels.deepest; d++) {
		gamma_fit_depth(f, d, priors);
		if (d > 0)
			loosen(f, d, priors);
	}
}

static int allocate(struct gamma_fit *f, double strength)
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
	struct gamma_fit f = {.grid = g, .tree = tree};
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

enum { STEPS_ROOT = 60, STEPS = 12 };

void rate_grid_init(struct rate_grid *g, double low, double high)
{
	double ratio = log(high / low) / (RATE_GRID_SIZE - 1);

	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		g->rates[k] = low * exp((double)k * ratio);
}

void rate_grid_observe(const struct rate_grid *g, struct rate_row *logs, struct rate_interval seen)
{
	double length = rate_length(seen.length);

	if (length == 0)
		return;
	for (size_t k = 0; k < RATE_GRID_SIZE; k++) {
		double z = g->rates[k] * length;

		if (seen.changed && seen.exact)
			logs->at[k] += log(g->rates[k]) - z;
		else
			logs->at[k] += seen.changed ? log(-expm1(-z)) : -z;
	}
}

/* prior times e^logs, scaled to the sum 1. Rows whose largest logarithm is far below 0 are fine. */
void rate_grid_posterior(
	const struct rate_row *prior, const struct rate_row *logs, struct rate_row *ret)
{
	double top = -INFINITY, sum = 0;

	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		if (prior->at[k] > 0 && logs->at[k] > top)
			top = logs->at[k];
	for (size_t k = 0; k < RATE_GRID_SIZE; k++) {
		ret->at[k] = prior->at[k] > 0 ? prior->at[k] * exp(logs->at[k] - top) : 0;
		sum += ret->at[k];
	}
	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		ret->at[k] = sum > 0 ? ret->at[k] / sum : prior->at[k];
}

double rate_grid_mean(const struct rate_grid *g, const struct rate_row *p)
{
	double sum = 0;

	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		sum += p->at[k] * g->rates[k];
	return sum;
}

double rate_grid_within(const struct rate_grid *g, const struct rate_row *p, double horizon)
{
	double sum = 0;

	if (!(horizon > 0))
		return 0;
	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		sum -= p->at[k] * expm1(-g->rates[k] * horizon);
	return fmin(sum, 1);
}

struct fit {
	const struct rate_tree *tree;
	struct rate_levels levels;
	struct rate_row *likelihoods; /* by page, up to a factor */
	struct rate_row *sums;        /* by class: of its pages' posteriors */
	double strength;
	struct rate_row base; /* parent of the root */
};

static void add_posterior(
	struct rate_row *sum, const struct rate_row *prior, const struct rate_row *likelihood)
{
	double parts[RATE_GRID_SIZE], total = 0;

	for (size_t k = 0; k < RATE_GRID_SIZE; k++) {
		parts[k] = prior->at[k] * likelihood->at[k];
		total += parts[k];
	}
	for (size_t k = 0; k < RATE_GRID_SIZE && total > 0; k++)
		sum->at[k] += parts[k] / total;
}

static void shrink(
	const struct fit *f, uint32_t c, const struct rate_row *parent, struct rate_row *ret)
{
	const struct rate_row *sum = &f->sums[c];
	double total = f->strength;

	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		total += sum->at[k];
	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		ret->at[k] = (f->strength * parent->at[k] + sum->at[k]) / total;
}

/* One step for all classes of a depth. */
static void step(const struct fit *f, uint32_t depth, struct rate_row *priors)
{
	const struct rate_tree *t = f->tree;

	for (size_t c = 0; c < t->classes; c++)
		if (f->levels.depths[c] == depth)
			f->sums[c] = (struct rate_row){0};
	for (size_t i = 0; i < t->pages; i++) {
		uint32_t c;

		if (rate_levels_find(&f->levels, t, i, depth, &c))
			add_posterior(&f->sums[c], &priors[c], &f->likelihoods[i]);
	}
	for (uint32_t c = 0; c < t->classes; c++)
		if (f->levels.depths[c] == depth)
			shrink(f, c, c == 0 ? &f->base : &priors[t->parents[c]], &priors[c]);
}

static void fit_depth(const struct fit *f, uint32_t depth, struct rate_row *priors)
{
	for (size_t c = 0; c < f->tree->classes; c++)
		if (f->levels.depths[c] == depth)
			priors[c] = c == 0 ? f->base : priors[f->tree->parents[c]];
	for (int i = 0; i < (depth == 0 ? STEPS_ROOT : STEPS); i++)
		step(f, depth, priors);
}

int rate_grid_fit(const struct rate_tree *tree, const struct rate_row *base, double strength,
	struct rate_row *ret)
{
	struct fit f = {.tree = tree, .strength = strength > 1e-6 ? strength : 1e-6};
	int rc = rate_levels_init(&f.levels, tree);

	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		f.base.at[k] = base ? base->at[k] : 1.0 / RATE_GRID_SIZE;
	f.likelihoods = rate_tree_likelihoods(tree);
	f.sums = calloc(tree->classes + 1, sizeof *f.sums);
	if (rc == 0 && (!f.likelihoods || !f.sums))
		rc = ERR_NOMEM;
	for (uint32_t d = 0; rc == 0 && d <= f.levels.deepest; d++)
		fit_depth(&f, d, ret);
	free(f.likelihoods);
	free(f.sums);
	rate_levels_release(&f.levels);
	return rc;
}

/* The logarithm of the sum over the grid of prior times e^logs. */
static double evidence(const struct rate_row *prior, const struct rate_row *logs)
{
	double top = -INFINITY, sum = 0;

	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		top = prior->at[k] > 0 ? fmax(top, logs->at[k]) : top;
	if (!isfinite(top))
		return -INFINITY;
	for (size_t k = 0; k < RATE_GRID_SIZE; k++)
		sum += prior->at[k] * exp(logs->at[k] - top);
	return top + log(sum);
}

struct cut {
	size_t place;
	double evidence;
};

/* The best place, and the evidence of a shift at any place. */
static struct cut find_cut(const double *before, const double *after, size_t count)
{
	struct cut best = {.evidence = -INFINITY};
	double sum = 0;

	for (size_t i = SHIFT_SIDE_MIN; i + SHIFT_SIDE_MIN <= count; i++)
		if (before[i] + after[i] > best.evidence)
			best = (struct cut){i, before[i] + after[i]};
	for (size_t i = SHIFT_SIDE_MIN; i + SHIFT_SIDE_MIN <= count; i++)
		sum += exp(before[i] + after[i] - best.evidence);
	best.evidence += log(sum / (double)(count - 1));
	return best;
}

size_t rate_shift(const struct rate_grid *g, const struct rate_row *prior,
	const struct rate_interval *intervals, size_t count)
{
	double before[SHIFT_LOOK_MAX + 1] = {0}, after[SHIFT_LOOK_MAX + 1] = {0};
	struct rate_row logs = {0}, backwards = {0};
	size_t skipped = count > SHIFT_LOOK_MAX ? count - SHIFT_LOOK_MAX : 0;
	struct cut cut;

	intervals += skipped;
	count -= skipped;
	if (count < (size_t)2 * SHIFT_SIDE_MIN || count > SHIFT_LOOK_MAX)
		return 0;
	for (size_t i = 0; i < count; i++) {
		rate_grid_observe(g, &logs, intervals[i]);
		rate_grid_observe(g, &backwards, intervals[count - 1 - i]);
		before[i + 1] = evidence(prior, &logs);
		after[count - 1 - i] = evidence(prior, &backwards);
	}
	cut = find_cut(before, after, count);
	return cut.evidence - before[count] > log(SHIFT_ODDS) ? skipped + cut.place : 0;
}
