/*
 * Estimates are means that begin with a few visits that nobody made (below: the strengths), so that
 * small numbers are not taken for more than they are.
 *
 * Pages of like heat lead to like numbers of pages: a visit counts for its own octave of the rate,
 * half for those next to it, and so on.
 *
 * How much is hidden. A page of depth d leads to y_d new pages, each of them to y_(d+1), and so on.
 * Before depth d was visited it is thought to be like the depth above it, but not to grow: one page
 * each at most. The sum over the waiting pages is what the visits so far tell. It counts as far as
 * it is likely: up to a quarter of what is known when nobody told a size.
 *
 * A size that was told allows more, but no more than it says, and it is doubted as visits find
 * nothing: pages that are not there keep the others from the intervals that suit them. But a size
 * is hardly ever more than twice the true one. So half of it is believed in whatever the visits
 * have found, until nearly all that wait were visited in vain.
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
static const double HIDDEN_TOLD_MAX = 1;
static const double ODDS = 2;      /* that a size told is right, for one that it is not */
static const double SURE = 0.5;    /* share of a size told that is hardly doubted: */
static const double ODDS_SURE = 9; /* one time in ten */
static const double NEAR = 0.5;    /* what a visit counts for the next octave */

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

/* Visits to each octave, and to those near it for less. */
static void smooth(struct yield by_heat[YIELD_HEATS])
{
	struct yield hotter[YIELD_HEATS] = {{0}}, colder = {0};

	for (unsigned h = YIELD_HEATS - 1; h-- > 0;) {
		count(&hotter[h], NEAR * by_heat[h + 1].visits, NEAR * by_heat[h + 1].found);
		count(&hotter[h], NEAR * hotter[h + 1].visits, NEAR * hotter[h + 1].found);
	}
	for (unsigned h = 0; h < YIELD_HEATS; h++) {
		struct yield own = by_heat[h];

		count(&by_heat[h], hotter[h].visits + colder.visits,
			hotter[h].found + colder.found);
		colder.visits = NEAR * (colder.visits + own.visits);
		colder.found = NEAR * (colder.found + own.found);
	}
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
	smooth(by_heat);
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

/* Of those that a told size leaves, so many as the visits tell. */
static double hidden_of_told(const struct plan_site *site, uint32_t waiting, double hidden)
{
	double told = (double)site->growth.given, known = (double)site->known;
	double sure = SURE * told - known;

	hidden = fmin(fmin(hidden, told - known), HIDDEN_TOLD_MAX * known);
	hidden *= size_belief(site, waiting, hidden, ODDS);
	if (sure > 0)
		hidden = fmax(hidden, sure * size_belief(site, waiting, sure, ODDS_SURE));
	return hidden;
}

double yields_hidden(
	const struct yields *y, const uint32_t waiting[YIELD_DEPTHS], const struct plan_site *site)
{
	double behind[YIELD_DEPTHS], hidden = 0;
	uint32_t all = 0;

	count_behind(y, behind);
	for (unsigned d = 0; d < YIELD_DEPTHS; d++) {
		hidden += (double)waiting[d] * behind[d];
		all += waiting[d];
	}
	if (site->growth.given < site->known)
		return fmin(hidden, HIDDEN_MAX * (double)site->known);
	return hidden_of_told(site, all, hidden);
}
