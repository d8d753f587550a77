/*
 * What learning from visits costs: updates of the Gamma state of many pages, in the order of their
 * numbers and at random, and the true posterior of one page.
 *
 *	rate_bench [PAGES]
 */
#include "base/rng.h"
#include "bench.h"
#include "rate/gamma_page.h"
#include "rate/posterior.h"

enum { PAGES = 1000000, UPDATES = 20000000, SEEN = 4096, POSTERIORS = 2000, INTERVALS = 20 };

static void report(const char *what, double count, double start, double check)
{
	double took = processor_time() - start;

	printf("%-34s %8.1f million/s, %7.1f ns each (%g)\n", what, count / took * 1e-6,
		took / count * 1e9, check);
}

static void updates(
	struct rate_gamma *pages, size_t n, const struct rate_interval *seen, struct rng *r)
{
	double start = processor_time();

	for (size_t i = 0; i < UPDATES; i++)
		rate_gamma_observe(&pages[r ? rng_below(r, n) : i % n], seen[i % SEEN]);
	report(r ? "updates, pages at random" : "updates, page after page", UPDATES, start,
		rate_gamma_mean(pages[0]));
}

static void posteriors(const struct rate_interval *seen)
{
	struct rate_posterior *p = malloc(sizeof *p);
	double start = processor_time(), sum = 0;

	for (size_t i = 0; p && i < POSTERIORS; i++) {
		rate_posterior_init(p, (struct rate_gamma){0.5, 15}, seen + i, INTERVALS);
		sum += rate_posterior_mean(p);
	}
	report("true posteriors of 20 intervals", POSTERIORS, start, sum);
	free(p);
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : PAGES;
	struct rate_gamma *pages = calloc(n > 0 ? n : 1, sizeof *pages);
	static struct rate_interval seen[SEEN];
	struct rng r;

	if (!pages || n == 0) {
		(void)fprintf(stderr, "rate_bench [PAGES]\n");
		return 1;
	}
	rng_init(&r, 1);
	for (size_t i = 0; i < n; i++)
		pages[i] = (struct rate_gamma){0.5, 15};
	for (size_t i = 0; i < SEEN; i++)
		seen[i] = (struct rate_interval){rng_exponential(&r, 0.02), rng_below(&r, 3) == 0};
	updates(pages, n, seen, NULL);
	updates(pages, n, seen, &r);
	posteriors(seen);
	free(pages);
	return 0;
}
