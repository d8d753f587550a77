/*
 * Estimates are means that begin with a few visits that nobody made (below: the strengths), so that
 * small numbers are not taken for more than they are.
 *
 * Three models of which pages lead on: those of like depth, those of like heat, or any. Each
 * foretells whether a visit will find something. How likely they made what the visits found is how
 * much they count (Bayes), so a site teaches within a few visits which of them holds. Under the
 * second a visit counts for its own octave of the rate, for those next to it by a share, and so on.
 *
 * How much is hidden. A page of depth d leads to y_d new pages, each of them to y_(d+1), and so on.
 * Before depth d was visited it is thought to be like the depth above it, but not to grow: one page
 * each at most. The sum over the waiting pages is what the visits so far tell. It counts as far as
 * it is likely: up to a quarter of what is known when nobody told a size.
 *
 * A size that was told allows more, at least what the models expect of the waiting pages, but no
 * more than it says. It may be too large, and pages that are not there keep the others from the
 * intervals that suit them. So there are two explanations: the size is right, or it is not. The
 * second counts as far as visits find nothing; a visit counts for that as much as it was expected
 * to find. But a size is hardly ever more than twice the true one. So half of it is believed in
 * under both, until nearly all that wait were visited in vain.
 */
#include "plan/yields.h"

#include <math.h>
#include <string.h>

static const double FIRST = 0.5; /* pages behind one, before any but the seeds was visited */
static const double FIRST_FINDERS = 0.25; /* visits that find something, before that */
/* Visits that an estimate begins with. */
static const double STRENGTH = 0.5;     /* of what visits with this depth or heat find */
static const double STRENGTH_ALL = 2;   /* of what visits find on average */
static const double STRENGTH_DEPTH = 1; /* where only the sum counts */
static const double SEED_MAX = 20;      /* a home page tells which pages lead on, not how far */
static const double GROWTH_MAX = 0.9;   /* pages behind one at the last depth, for the sum */
static const double HIDDEN_MAX = 0.25;  /* hidden pages for one known: no size told */
static const double HIDDEN_TOLD_MAX = 1;
static const double ODDS = 4;            /* that a size told is right, for one that it is not */
static const double SURE = 0.5;          /* share of a size told that is hardly doubted: */
static const double ODDS_SURE = 9;       /* one time in ten */
static const double NEAR = 0.35;         /* what a visit counts for the next octave */
static const double SURE_AT_MOST = 0.99; /* whether a visit will find something */

enum model { BY_DEPTH, BY_HEAT, ANY };

/* How likely each model is at first: as likely as not neither depth nor heat tells. */
static const double PRIOR[YIELD_MODELS] = {[BY_DEPTH] = 1, [BY_HEAT] = 1, [ANY] = 2};

/* From a change in some years to several in a second, if that is the unit. */
unsigned yield_heat(double rate)
{
	double octave = YIELD_HEATS - 4 + log2(rate);

	if (!(octave > 0)) /* also where the rate is 0 */
		return 0;
	return octave < YIELD_HEATS - 1 ? (unsigned)octave : YIELD_HEATS - 1;
}

static void count(struct yield *y, double share, struct yield of)
{
	y->visits += share * of.visits;
	y->finders += share * of.finders;
	y->found += share * of.found;
}

/* The mean of the visits and of so many others, which found what was expected. */
static double mean(double found, double visits, double strength, double expected)
{
	return (found + strength * expected) / (visits + strength);
}

/* Visits to each octave, and to those near it for less. */
static void smooth(struct yield by_heat[YIELD_HEATS])
{
	struct yield hotter[YIELD_HEATS] = {{0}}, colder = {0};

	for (unsigned h = YIELD_HEATS - 1; h-- > 0;) {
		count(&hotter[h], NEAR, by_heat[h + 1]);
		count(&hotter[h], NEAR, hotter[h + 1]);
	}
	for (unsigned h = 0; h < YIELD_HEATS; h++) {
		struct yield own = by_heat[h], near = colder;

		count(&by_heat[h], 1, hotter[h]);
		count(&by_heat[h], 1, colder);
		colder = (struct yield){0};
		count(&colder, NEAR, near);
		count(&colder, NEAR, own);
	}
}

/* The visits as each model sees them. A home page is no page like others. */
struct views {
	struct yield all, by_depth[YIELD_DEPTHS], by_heat[YIELD_HEATS];
};

static void view(const struct yields *y, struct views *v)
{
	*v = (struct views){0};
	for (unsigned d = 0; d < YIELD_DEPTHS; d++)
		for (unsigned h = 0; h < YIELD_HEATS; h++) {
			count(&v->by_heat[h], 1, y->of[d][h]);
			count(&v->by_depth[d], 1, y->of[d][h]);
			if (d > 0)
				count(&v->all, 1, y->of[d][h]);
		}
	smooth(v->by_heat);
}

static void foretell_found(
	const struct views *v, unsigned depth, unsigned heat, double expected[YIELD_MODELS])
{
	const struct yield *deep = &v->by_depth[depth], *hot = &v->by_heat[heat];

	expected[ANY] = mean(v->all.found, v->all.visits, STRENGTH_ALL, FIRST);
	expected[BY_DEPTH] = mean(deep->found, deep->visits, STRENGTH, expected[ANY]);
	expected[BY_HEAT] = mean(hot->found, hot->visits, STRENGTH, FIRST);
}

static void foretell_finder(
	const struct views *v, unsigned depth, unsigned heat, double expected[YIELD_MODELS])
{
	const struct yield *deep = &v->by_depth[depth], *hot = &v->by_heat[heat];

	expected[ANY] = mean(v->all.finders, v->all.visits, STRENGTH_ALL, FIRST_FINDERS);
	expected[BY_DEPTH] = mean(deep->finders, deep->visits, STRENGTH, expected[ANY]);
	expected[BY_HEAT] = mean(hot->finders, hot->visits, STRENGTH, FIRST_FINDERS);
}

/* What a visit found tells how much each model is worth. */
static void score(struct yields *y, unsigned depth, unsigned heat, bool finder)
{
	double expected[YIELD_MODELS];
	struct views v;

	view(y, &v);
	foretell_finder(&v, depth, heat, expected);
	for (unsigned m = 0; m < YIELD_MODELS; m++) {
		double p = fmin(fmax(expected[m], 1 - SURE_AT_MOST), SURE_AT_MOST);

		y->score[m] += log(finder ? p : 1 - p);
	}
}

void yields_visit(struct yields *y, unsigned depth, double rate, uint32_t found)
{
	unsigned heat = yield_heat(rate);
	struct yield visit = {1, found > 0, depth == 0 ? fmin(found, SEED_MAX) : (double)found};

	if (depth > 0)
		score(y, depth, heat, found > 0);
	count(&y->of[depth][heat], 1, visit);
	if (found > 0)
		memset(y->quiet, 0, sizeof y->quiet);
	else
		y->quiet[depth][heat]++;
}

/* How much each model counts; together 1. */
static void weigh(const struct yields *y, double weight[YIELD_MODELS])
{
	double best = -INFINITY, sum = 0;

	for (unsigned m = 0; m < YIELD_MODELS; m++)
		best = fmax(best, y->score[m]);
	for (unsigned m = 0; m < YIELD_MODELS; m++) {
		weight[m] = PRIOR[m] * exp(y->score[m] - best);
		sum += weight[m];
	}
	for (unsigned m = 0; m < YIELD_MODELS; m++)
		weight[m] /= sum;
}

void yields_expect(const struct yields *y, double expected[YIELD_DEPTHS][YIELD_HEATS])
{
	double weight[YIELD_MODELS], found[YIELD_MODELS];
	struct views v;

	view(y, &v);
	weigh(y, weight);
	for (unsigned d = 0; d < YIELD_DEPTHS; d++)
		for (unsigned h = 0; h < YIELD_HEATS; h++) {
			foretell_found(&v, d, h, found);
			expected[d][h] = 0;
			for (unsigned m = 0; m < YIELD_MODELS; m++)
				expected[d][h] += weight[m] * found[m];
		}
}

/* Pages behind one of each depth, with what these lead to. */
static void count_behind(const struct yields *y, double behind[YIELD_DEPTHS])
{
	double each = FIRST, leads[YIELD_DEPTHS];

	for (unsigned d = 0; d < YIELD_DEPTHS; d++) {
		struct yield sum = {0};

		for (unsigned h = 0; h < YIELD_HEATS; h++)
			count(&sum, 1, y->of[d][h]);
		each = leads[d] =
			mean(sum.found, sum.visits, STRENGTH_DEPTH, d <= 1 ? FIRST : fmin(each, 1));
	}
	behind[YIELD_DEPTHS - 1] = each / (1 - fmin(each, GROWTH_MAX));
	for (unsigned d = YIELD_DEPTHS - 1; d-- > 0;)
		behind[d] = leads[d] * (1 + behind[d + 1]);
}

/* Of those that a told size leaves, so many as the visits tell. missed: share of what was to be
 * found that quiet visits should have found. */
static struct yields_hidden hidden_of_told(
	const struct plan_site *site, double missed, double hidden)
{
	double size = (double)site->growth.given, known = (double)site->known;
	double sure = fmax(0, SURE * size - known), told, right;

	told = fmin(fmin(hidden, size - known), HIDDEN_TOLD_MAX * known);
	right = size_belief(site, missed, told, ODDS);
	sure *= size_belief(site, missed, sure, ODDS_SURE);
	if (told < sure + 0.5) /* less than a page apart */
		right = 1;
	told = fmax(told, sure);
	return (struct yields_hidden){
		.told = told, .sure = sure, .right = right, .mean = sure + right * (told - sure)};
}

/* Nobody told a size, or it was too small. */
static struct yields_hidden hidden_of_growth(const struct plan_site *site, double hidden)
{
	hidden = fmin(hidden, HIDDEN_MAX * (double)site->known);
	return (struct yields_hidden){.told = hidden, .right = 1, .mean = hidden};
}

struct yields_hidden yields_hidden(
	const struct yields *y, const struct yields_waiting *waiting, const struct plan_site *site)
{
	double behind[YIELD_DEPTHS], hidden = 0, quiet = waiting->quiet;
	uint32_t pages = 0;

	count_behind(y, behind);
	for (unsigned d = 0; d < YIELD_DEPTHS; d++) {
		hidden += (double)waiting->by_depth[d] * behind[d];
		pages += waiting->by_depth[d];
	}
	if (site->growth.given < site->known)
		return hidden_of_growth(site, hidden);
	/* One more than wait may, so that doubt is never complete. */
	if (quiet > 0)
		quiet /= quiet + waiting->leads * (1 + 1 / (double)pages);
	return hidden_of_told(site, quiet, fmax(hidden, waiting->leads));
}
