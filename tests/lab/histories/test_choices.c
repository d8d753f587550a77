#include "histories/choices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "histories/estimators.h"
#include "histories/visits.h"
#include "tap.h"

enum { DAY = 86400, DAYS = 1400, HOT = 15, COLD = 45 };

/* Two directories: in one pages change every 30 days on average, in the other hardly ever. */
static void write_history(const char *file, struct rng *r)
{
	double next[HOT + COLD];
	FILE *out = fopen(file, "w");

	if (!out)
		abort();
	for (int i = 0; i < HOT + COLD; i++) {
		(void)fprintf(out, "0\tbegin\tA\t%s/%d\n", i < HOT ? "hot" : "cold", i);
		next[i] = rng_exponential(r, i < HOT ? 1.0 / 30 : 1.0 / 2000);
	}
	for (int day = 1; day <= DAYS; day++) {
		for (int i = 0; i < HOT + COLD; i++)
			while (next[i] < day) {
				(void)fprintf(out, "%d\tc%d-%d\tM\t%s/%d\n", day * DAY, day, i,
					i < HOT ? "hot" : "cold", i);
				next[i] += rng_exponential(r, i < HOT ? 1.0 / 30 : 1.0 / 2000);
			}
	}
	(void)fprintf(out, "%d\tend\tA\tlast\n", DAYS * DAY);
	(void)fclose(out);
}

static const struct choice_row *row_of(
	const struct choices *c, enum choice_policy policy, unsigned weeks)
{
	return &c->rows[(weeks - 1) * CHOICE_POLICIES + policy];
}

/* Pages change exactly as our models say: they must beat what knows less. */
static void check_choices(const struct visits *v)
{
	struct choices *c = calloc(1, sizeof *c);
	const struct choice_row *hacs, *grid, *gamma, *brute, *random, *last;

	CHECK_INT(choices_evaluate(v, 1, NULL, NULL, c), 0);
	hacs = row_of(c, CHOICE_HACS, 12);
	grid = row_of(c, CHOICE_GRID, 12);
	gamma = row_of(c, CHOICE_GAMMA, 12);
	brute = row_of(c, CHOICE_BRUTE_FORCE, 12);
	random = row_of(c, CHOICE_RANDOM, 12);
	last = row_of(c, CHOICE_LAST_OBS, 12);
	CHECK_STR(grid->policy, "directory-grid");
	CHECK_INT(grid->weeks, 12);
	CHECK(grid->log_loss < hacs->log_loss && gamma->log_loss < hacs->log_loss);
	CHECK(grid->average_precision > hacs->average_precision);
	CHECK(hacs->average_precision > random->average_precision);
	CHECK(grid->f1 >= brute->f1 && hacs->f1 >= brute->f1);
	CHECK_NEAR(brute->recall, 1, 1e-12);
	CHECK_NEAR(brute->macro_recall, 1, 1e-12);
	CHECK_NEAR(brute->threshold, 0, 0);
	CHECK_NEAR(random->threshold, hacs->threshold, 0);
	CHECK(isnan(last->precision) && isnan(last->log_loss) && !isnan(last->weighted_p_at_k));
	free(c);
}

static void check_estimators(const struct visits *v)
{
	static struct estimators e;
	const struct estimator_row *one = e.rows;

	CHECK_INT(estimators_evaluate(v, &e), 0);
	CHECK_STR(one[ESTIMATOR_GRID].estimator, "directory-grid");
	CHECK_INT(one[ESTIMATOR_GRID].observations, 1);
	/* After one interval the directory knows what the page does not. */
	CHECK(one[ESTIMATOR_GRID].log_likelihood > one[ESTIMATOR_HACS].log_likelihood);
	CHECK(one[ESTIMATOR_GAMMA].log_likelihood > one[ESTIMATOR_GAMMA_SITE].log_likelihood);
	CHECK(one[ESTIMATOR_GRID].rate_error < one[ESTIMATOR_HACS].rate_error);
}

static void check_visits(const struct visits *v)
{
	size_t count = 0;

	CHECK_INT((int64_t)v->pages, HOT + COLD);
	for (size_t i = 0; i < v->pages; i++)
		for (size_t k = v->from[i]; k < v->from[i + 1]; k++, count++) {
			bool first = k == v->from[i];
			double before = first ? 0 : v->list[k - 1].time;

			CHECK(v->list[k].time >= v->start - VISITS_MARGIN &&
				v->list[k].time <= v->end && v->list[k].time > before);
			CHECK(v->list[k].changed ==
				(!first && visits_next_change(v, i, before) <= v->list[k].time));
		}
	/* A median gap of 50 days; the mean is e^(1/2) times that. */
	CHECK((double)count > 60 * 8 && (double)count < 60 * 40);
}

static void test_all(void)
{
	struct history h = {0};
	struct visits v = {0};
	struct err err = {0};
	struct rng r;
	char file[4096];

	rng_init(&r, 7);
	(void)snprintf(file, sizeof file, "%s/history", tap_tempdir());
	write_history(file, &r);
	tap_case("visits");
	CHECK_INT(history_load(file, &h, &err), 0);
	CHECK_INT(visits_draw(&h, (int64_t)90 * DAY, 1, &v, &err), 0);
	check_visits(&v);
	tap_case("choices");
	check_choices(&v);
	tap_case("estimators");
	check_estimators(&v);
	visits_release(&v);
	tap_case("visits: out of range");
	CHECK_INT(visits_draw(&h, (int64_t)80 * DAY, 1, &v, &err), ERR_RANGE);
	CHECK_INT(visits_draw(&h, (int64_t)1000 * DAY, 1, &v, &err), ERR_RANGE);
	CHECK(strstr(err.text, "--start") != NULL);
	history_release(&h);
}

/*
 * By hand: scores say a b c d, changes say b a d c; due are a and c. The first 1, 2, 3, 4 have 0,
 * 2, 2, 4 in common.
 */
static void test_ranking(void)
{
	static const struct ranked PAGES[] = {
		{4, 2, true}, {3, 1, false}, {2, INFINITY, true}, {1, 3, false}};
	double w2 = 1 / log2(3), w3 = 0.5, w4 = 1 / log2(5);
	struct ranking_value value;
	struct rng r;

	rng_init(&r, 1);
	CHECK_INT(ranking_measure(PAGES, 4, &r, &value), 0);
	CHECK_NEAR(value.average_precision, (1 + 2.0 / 3) / 2, 1e-15);
	CHECK_NEAR(value.weighted_p_at_k, (w2 + w3 * 2 / 3 + w4) / (1 + w2 + w3 + w4), 1e-15);
	CHECK_INT(ranking_measure(PAGES, 0, &r, &value), 0);
	CHECK(isnan(value.average_precision));
}

/* The closed forms are the means over random orders. */
static void test_ranking_random(void)
{
	struct ranked pages[10];
	struct ranking_value sum = {0}, want = ranking_random(10, 3);
	size_t rounds = 20000;
	struct rng r;

	rng_init(&r, 2);
	for (int i = 0; i < 10; i++)
		pages[i] = (struct ranked){0, i, i < 3};
	for (size_t k = 0; k < rounds; k++) {
		struct ranking_value value;

		if (!CHECK_INT(ranking_measure(pages, 10, &r, &value), 0))
			return;
		sum.average_precision += value.average_precision / (double)rounds;
		sum.weighted_p_at_k += value.weighted_p_at_k / (double)rounds;
	}
	CHECK_NEAR(sum.average_precision, want.average_precision, 0.01);
	CHECK_NEAR(sum.weighted_p_at_k, want.weighted_p_at_k, 0.01);
	CHECK_NEAR(ranking_random(1, 1).average_precision, 1, 1e-15);
	CHECK(isnan(ranking_random(5, 0).average_precision));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_all();
	TAP_RUN(test_ranking);
	TAP_RUN(test_ranking_random);
	return tap_done();
}
