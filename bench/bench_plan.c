/*
 * How the cost of every strategy grows with the number of pages.
 *
 * Each is run through plan_run as a crawler would: all pages known beforehand for the offline ones,
 * discovered over a tree for the others. Printed are the processor time of the visits per page,
 * planning included, as such and as a ratio to sorting the same rates in the same process, because
 * machines differ; the planning of the revisits likewise; and the peak of memory per page.
 *
 *	bench_plan [PAGES_MAX]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/rng.h"
#include "bench_cost.h"
#include "plan/plan.h"
#include "sim/synthetic.h"

enum {
	SLOW_MAX = 100000,   /* pages up to which sharc-selective-online, O(n^2) at worst, is run */
	MEMORY_MIN = 100000, /* pages; with fewer, the allocator's habits are all one sees */
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double time_sort(const struct site *site)
{
	double *rates = malloc((site->n ? site->n : 1) * sizeof *rates), from;

	if (!rates)
		abort();
	for (size_t i = 0; i < site->n; i++)
		rates[i] = site->survival[i].rate;
	from = bench_seconds();
	qsort(rates, site->n, sizeof *rates, compare);
	from = bench_seconds() - from;
	free(rates);
	return from;
}

struct cost {
	double visits, revisits; /* seconds */
	double sort;             /* the same rates, in the same process */
	size_t bytes;            /* peak of memory */
};

static void discover(struct plan_run *run, const struct site *site, uint32_t page)
{
	if (plan_discovered(run, page, site->survival[page], 1))
		abort();
}

static void discover_links(struct plan_run *run, const struct site *site, uint32_t page)
{
	for (size_t i = site->link_from[page]; i < site->link_from[page + 1]; i++)
		discover(run, site, site->links[i]);
}

static struct cost run_one(const struct plan_strategy *strategy, const struct site *site)
{
	struct plan_params params = {
		.strategy = strategy, .delay = 1, .size = (uint32_t)site->n, .fast = true};
	struct plan_run *run = plan_run_new(&params, NULL);
	struct plan_order order;
	struct cost cost = {0};
	double from = bench_seconds();
	size_t t = 0, before;

	if (!run)
		abort();
	before = bench_memory_reset();
	for (uint32_t i = 0; i < (strategy->offline ? site->n : 1); i++)
		discover(run, site, i);
	for (; plan_next(run, (double)t, &order) == PLAN_ORDER && order.leg == PLAN_VISIT; t++) {
		if (!strategy->offline)
			discover_links(run, site, order.page);
		plan_done(run, &order, PLAN_OK, (double)t, (double)t);
		if (t == site->n - 1) {
			cost.visits = bench_seconds() - from;
			from = bench_seconds();
		}
	}
	cost.revisits = bench_seconds() - from;
	cost.bytes = bench_memory_peak(before);
	plan_run_free(run);
	cost.sort = time_sort(site);
	return cost;
}

/* In a process of its own: none finds the heap as another has left it. */
static struct cost run_apart(const struct plan_strategy *strategy, const struct site *site)
{
	struct cost cost;
	int ends[2], status;
	pid_t child;

	(void)fflush(stdout);
	if (pipe(ends) || (child = fork()) < 0)
		abort();
	if (child == 0) {
		cost = run_one(strategy, site);
		_exit(write(ends[1], &cost, sizeof cost) != sizeof cost);
	}
	if (read(ends[0], &cost, sizeof cost) != sizeof cost ||
		waitpid(child, &status, 0) != child || status)
		abort();
	(void)close(ends[0]);
	(void)close(ends[1]);
	return cost;
}

static void print_cost(const char *name, size_t n, const struct cost *c)
{
	printf("  %-26s %12.3f %9.1f %12.3f %9.1f", name, c->visits / (double)n * 1e6,
		c->visits / c->sort, c->revisits / (double)n * 1e6, c->revisits / c->sort);
	if (n >= MEMORY_MIN)
		printf(" %11.0f", (double)c->bytes / (double)n);
	printf("\n");
}

static void bench_site(const struct site *site)
{
	size_t n = site->n;

	printf("\n%zu pages\n  %-26s %12s %9s %12s %9s %11s\n", n, "strategy", "visits us/pg",
		"x sort", "revisits", "x sort", n >= MEMORY_MIN ? "bytes/page" : "");
	for (size_t i = 0; plan_strategy_at(i); i++) {
		const struct plan_strategy *s = plan_strategy_at(i);
		struct cost c;

		if (n > SLOW_MAX && strcmp(s->name, "sharc-selective-online") == 0)
			continue;
		c = run_apart(s, site);
		print_cost(s->name, n, &c);
	}
}

int main(int argc, char **argv)
{
	struct synthetic spec = {SYNTHETIC_DEFAULTS, .leaves = SYNTHETIC_MIXED};
	uint64_t max = 1000000;
	struct rng rng;

	if (argc > 1 &&
		(parse_u64(slice_str(argv[1]), &max) || max < 1000 || max > SYNTHETIC_PAGES_MAX))
		return 2;
	rng_init(&rng, 1);
	printf("rates: 1/(i+1)^1.2 in random order, delay 1, size known, no exact solution\n");
	for (uint64_t n = 1000; n <= max; n *= 10) {
		struct site site;

		spec.n = (uint32_t)n;
		if (synthetic_site(&spec, &rng, &site))
			return 1;
		bench_site(&site);
		site_release(&site);
	}
	return 0;
}
