/*
 * What a decision of a watch costs, by policy, and what a page takes.
 *
 * All pages are known and have a copy. Then orders are asked for and reported, each with a new
 * rate, as fast as the budget gives them: one refresh_next and one refresh_done are a decision.
 * Printed are the processor time of a decision and the peak of memory per page.
 *
 *	bench_refresh [PAGES]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/parse.h"
#include "base/rng.h"
#include "bench_cost.h"
#include "plan/refresh_run.h"

enum { DECISIONS = 2000000, GROUP = 100 };

static double draw_rate(struct rng *rng)
{
	return 0.1 * exp(1.5 * rng_normal(rng));
}

static struct refresh_run *prepare(const struct refresh_policy *policy, size_t n, struct rng *rng)
{
	struct refresh_params params = {.policy = policy,
		.budget = (double)n / 10,
		.aim = {.grid = 1, .theta = 0.7},
		.cycle = 7};
	struct refresh_run *run = refresh_run_new(&params, NULL);

	if (!run)
		abort();
	for (uint32_t i = 0; i < n; i++) {
		struct refresh_facts facts = {
			.rate = draw_rate(rng), .weight = 1 + i % 3, .group = 1 + i / GROUP};
		/* Copies are of different ages, as in a watch that has run for long. */
		struct refresh_look look = {REFRESH_SAME, -20 * rng_double(rng), -1, 0};

		if (refresh_discovered(run, i, &facts))
			abort();
		refresh_seen(run, i, &look);
	}
	return run;
}

static double time_decisions(struct refresh_run *run, struct rng *rng)
{
	double now = 0, until, from = bench_seconds();
	struct refresh_order order;

	for (size_t done = 0; done < DECISIONS;) {
		if (refresh_next(run, now, &order, &until) == REFRESH_WAIT) {
			now = until;
			continue;
		}
		refresh_done(run, &order,
			&(struct refresh_look){rng_below(rng, 4) ? REFRESH_SAME : REFRESH_CHANGED,
				now, draw_rate(rng), 0});
		done++;
	}
	return bench_seconds() - from;
}

/* What the rates cost that the loop above draws. */
static double time_draws(struct rng *rng)
{
	double from = bench_seconds(), sum = 0;

	for (size_t i = 0; i < DECISIONS; i++)
		sum += draw_rate(rng) + (double)rng_below(rng, 4);
	return sum > 0 ? bench_seconds() - from : 0;
}

int main(int argc, char **argv)
{
	uint64_t n = 10000000;
	struct rng rng;
	double draws;

	if (argc > 1 && (parse_u64(slice_str(argv[1]), &n) || n < 1000 || n > 100000000))
		return 2;
	rng_init(&rng, 1);
	draws = time_draws(&rng);
	printf("%llu pages, a tenth of them looked at in a day, %d decisions\n",
		(unsigned long long)n, DECISIONS);
	printf("%-14s %14s %12s\n", "policy", "us/decision", "bytes/page");
	for (size_t i = 0; refresh_policy_at(i); i++) {
		size_t before = bench_memory_reset();
		struct refresh_run *run = prepare(refresh_policy_at(i), n, &rng);
		double time = time_decisions(run, &rng) - draws;

		printf("%-14s %14.3f %12.1f\n", refresh_policy_at(i)->name, time / DECISIONS * 1e6,
			(double)bench_memory_peak(before) / (double)n);
		(void)fflush(stdout);
		refresh_run_free(run);
	}
	return 0;
}
