#include "plan/rate_shift.h"

#include <math.h>

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
