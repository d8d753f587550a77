/*
 * Estimates are means that begin with a few visits that nobody made (below: the strengths), so that
 * small numbers are not taken for more than they are.
 *
 * How much is hidden. A page of depth d leads to y_d new pages, each of them to y_(d+1), and so on.
 * Before depth d was visited it is thought to be like the depth above it, but not to grow: one page
 * each at most. The sum over the waiting pages is what the visits so far tell. It counts as far as
 * it is likely: up to a quarter of what is known when nobody told a size. A size that was told
 * allows more, but no more than it says, and little more than half of the pages hidden: from pages
 * that are twice as many as there are, the others would be kept away for nothing.
 */
#include "plan/yields.h"

#include <math.h>

static const double FIRST = 0.5; /* pages behind one, before any but the seeds was visited */
/* Visits that an estimate begins with. */
static const double STRENGTH = 4;       /* of what visits with this depth and heat find */
static const double STRENGTH_ALL = 2;   /* of what visits find on average */
static const double STRENGTH_DEPTH = 1; /* where only the sum counts */
static const double SEED_MAX = 20;      /* a home page tells which pages lead on, not how far */
static const double GROWTH_MAX = 0.9;   /* pages behind one at the last depth, for the sum */
static const double HIDDEN_MAX = 0.25;  /* hidden pages for one known: no size told */
static const double HIDDEN_TOLD_MAX = 0.85;

/* From a change in some years to several in a second, if that is the unit. */
unsigned yield_heat(double rate)
{
	double octave = YIELD_HEATS - 4 + log2(rate);

	if (!(octave > 0)) /* also where the rate is 0 */
		return 0;
	return octave < YIELD_HEATS - 1 ? (unsigned)octave : YIELD_HEATS - 1;
}

static void count(struct yield *y, double visits, double found)
{
	y->visits += visits;
	y->found += found;
}

void yields_visit(struct yields *y, unsigned depth, double rate, uint32_t found)
{
	count(&y->of[depth][yield_heat(rate)], 1,
		depth == 0 ? fmin(found, SEED_MAX) : (double)found);
}

/* The mean of the visits and of so many others, which found what was expected. */
static double mean(struct yield y, double strength, double expected)
{
	return (y.found + strength * expected) / (y.visits + strength);
}

void yields_expect(const struct yields *y, double expected[YIELD_DEPTHS][YIELD_HEATS])
{
	struct yield all = {0}, by_depth[YIELD_DEPTHS] = {{0}}, by_heat[YIELD_HEATS] = {{0}};
	double average;

	for (unsigned d = 0; d < YIELD_DEPTHS; d++)
		for (unsigned h = 0; h < YIELD_HEATS; h++) {
			struct yield of = y->of[d][h];

			count(&by_heat[h], of.visits, of.found);
			count(&by_depth[d], of.visits, of.found);
			if (d > 0)
				count(&all, of.visits, of.found);
		}
	average = mean(all, STRENGTH_ALL, FIRST);
	for (unsigned d = 0; d < YIELD_DEPTHS; d++)
		for (unsigned h = 0; h < YIELD_HEATS; h++) {
			double deep = mean(by_depth[d], STRENGTH, average);
			double hot = mean(by_heat[h], STRENGTH, average);

			expected[d][h] = mean(y->of[d][h], STRENGTH, deep * hot / average);
		}
}

/* Pages behind one of each depth, with what these lead to. */
static void count_behind(const struct yields *y, double behind[YIELD_DEPTHS])
{
	double each = FIRST, leads[YIELD_DEPTHS];

	for (unsigned d = 0; d < YIELD_DEPTHS; d++) {
		struct yield sum = {0};

		for (unsigned h = 0; h < YIELD_HEATS; h++)
			count(&sum, y->of[d][h].visits, y->of[d][h].found);
		each = leads[d] = mean(sum, STRENGTH_DEPTH, d <= 1 ? FIRST : fmin(each, 1));
	}
	behind[YIELD_DEPTHS - 1] = each / (1 - fmin(each, GROWTH_MAX));
	for (unsigned d = YIELD_DEPTHS - 1; d-- > 0;)
		behind[d] = leads[d] * (1 + behind[d + 1]);
}

double yields_hidden(const struct yields *y, const uint32_t waiting[YIELD_DEPTHS], uint32_t known,
	uint32_t given)
{
	double behind[YIELD_DEPTHS], hidden = 0;

	count_behind(y, behind);
	for (unsigned d = 0; d < YIELD_DEPTHS; d++)
		hidden += (double)waiting[d] * behind[d];
	if (given < known)
		return fmin(hidden, HIDDEN_MAX * (double)known);
	return fmin(fmin(hidden, (double)(given - known)), HIDDEN_TOLD_MAX * (double)known);
}
