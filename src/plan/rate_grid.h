/*
 * Priors without a formula: change rates on a grid, with a probability for each. They are fitted to
 * all pages of a site at once, and shrunk down a tree of classes, the directories for instance:
 *
 *	the root's prior makes the visits of all pages likely; the prior of a class is fitted to
 *	the pages in and below it, as if `strength` more pages had the prior of its parent.
 *
 * A small class stays near its parent, a large one is believed. Any shape fits: a site often has
 * many pages that never change beside a few that do so daily, which no single Gamma distribution
 * describes. The first grid rate stands for "never" and should be far below 1 / (time watched).
 */
#ifndef PLAN_RATE_GRID_H
#define PLAN_RATE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "plan/gamma_poisson.h"
#include "plan/rate_estimate.h"

enum { RATE_GRID_SIZE = 40 };

struct rate_grid {
	double rates[RATE_GRID_SIZE]; /* ascending, by equal factors */
};

/* A number for each grid rate: probabilities, or log-likelihoods. */
struct rate_row {
	double at[RATE_GRID_SIZE];
};

/* 0 < low < high. */
void rate_grid_init(struct rate_grid *g, double low, double high);

/* Adds an interval to a page's log-likelihoods, which begin as zeros. */
void rate_grid_observe(const struct rate_grid *g, struct rate_row *logs, struct rate_interval seen);

/* What a prior becomes by a page's log-likelihoods: probabilities. */
void rate_grid_posterior(
	const struct rate_row *prior, const struct rate_row *logs, struct rate_row *ret);

double rate_grid_mean(const struct rate_grid *g, const struct rate_row *p);

/* The probability of a change within the horizon (>= 0). */
double rate_grid_within(const struct rate_grid *g, const struct rate_row *p, double horizon);

/* Classes and the pages in them; all borrowed. Class 0 is the root; parents come before children.
 */
struct rate_tree {
	size_t classes;
	const uint32_t *parents; /* by class; that of the root is not read */
	size_t pages;
	const uint32_t *page_classes;
	const struct rate_row *logs; /* by page: log-likelihoods */
};

/*
 * Fits a prior for each class into ret, which has room for all. The parent of the root is base, or
 * equal probabilities where it is NULL. Where visits are rare nothing tells a high rate from a
 * higher one, so a base that falls there, as rate_gamma_cells gives it, keeps means sound. 0 or
 * ERR_NOMEM.
 */
int rate_grid_fit(const struct rate_tree *tree, const struct rate_row *base, double strength,
	struct rate_row *ret) SP_MUST_CHECK;

/* The probabilities that a Gamma distribution gives to the cells around the grid rates. */
void rate_gamma_cells(const struct rate_grid *g, struct rate_gamma gamma, struct rate_row *ret);

/*
 * The same with Gamma priors (empirical Bayes by EM; shapes down to 0.01), for those who keep only
 * 16 bytes for a page. 0 or ERR_NOMEM.
 */
int rate_gamma_fit_tree(const struct rate_grid *g, const struct rate_tree *tree, double strength,
	struct rate_gamma *ret) SP_MUST_CHECK;

/* Depths of the classes of a tree, and the class that a page has at each. */

struct rate_levels {
	uint32_t *depths; /* by class; that of the root is 0 */
	uint32_t deepest;
};

/* 0 or ERR_NOMEM; rate_levels_release is safe after both. */
void rate_levels_release(struct rate_levels *l);

/*
 * A probability below this is none, or this: products of two of them and a rate are still normal
 * numbers. With others processors take a hundred times as long.
 */
#define RATE_SMALLEST 1e-100

/*
 * Pages whose behaviour changes: a news page that becomes an archive, an event that is over. What
 * they did before says nothing about what they will do, so it is to be forgotten.
 *
 * Compared are two explanations of all intervals of a page: one rate, drawn from the prior; or two
 * rates, drawn from it independently, with one shift at any place (all places are equally likely).
 * Both have exact probabilities on a grid of rates (plan/rate_grid.h). The second is believed only
 * if it is SHIFT_ODDS times as likely; then the most probable place counts.
 */

#define SHIFT_ODDS 100.0

enum {
	SHIFT_SIDE_MIN = 3,   /* intervals on either side of a shift */
	SHIFT_LOOK_MAX = 512, /* the last so many intervals are looked at */
};

/*
 * The number of intervals, from the oldest, that are to be forgotten; 0: none. They are in the
 * order of time. The prior has probabilities for the grid's rates.
 */
size_t rate_shift(const struct rate_grid *g, const struct rate_row *prior,
	const struct rate_interval *intervals, size_t count);

#endif
