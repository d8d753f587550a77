/*
 * EM. All classes of one depth are fitted together, from the root down: each page belongs to one
 * class of each depth up to its own. The prior of a class after a step is
 *
 *	(strength * parent's prior + sum of its pages' posteriors) / (strength + pages)
 *
 * which is the most likely one under a Dirichlet distribution around the parent's prior.
 */
#include "rate/grid.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "rate/tree.h"

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
