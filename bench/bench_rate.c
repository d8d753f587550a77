/*
 * What learning from visits costs: updates of the Gamma state of many pages, in the order of their
 * numbers and at random, the true posterior of one page, features of URLs, and both classifiers.
 *
 *	rate_bench [PAGES]
 */
#include "base/rng.h"
#include "bench.h"
#include "plan/c45.h"
#include "plan/classifier.h"
#include "plan/gamma_poisson.h"
#include "plan/posterior.h"

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

enum { URL_SIZE = 64 };

/* A made-up site whose sections change at different rates, with some noise. */
static void make_urls(char (*urls)[URL_SIZE], unsigned *parts, size_t n)
{
	struct rng r;

	rng_init(&r, 2);
	for (size_t i = 0; i < n; i++) {
		parts[i] = (unsigned)rng_below(&r, 200);
		(void)snprintf(urls[i], URL_SIZE, "https://www%u.example.org/part-%u/%zu.html",
			(unsigned)rng_below(&r, 500), parts[i], i);
	}
}

static void read_features(struct feature_words *w, char (*urls)[URL_SIZE], struct features *rows,
	size_t n, bool learn)
{
	double start = processor_time();

	for (size_t i = 0; i < n; i++)
		if (features_of_url(w, slice_str(urls[i]), learn, &rows[i]))
			exit(1);
	report(learn ? "features of URLs, words learned" : "features of URLs, words known",
		(double)n, start, 0);
}

static void make_pages(struct feature_words *w, struct features *rows, uint8_t *labels, size_t n)
{
	char(*urls)[URL_SIZE] = calloc(n, sizeof *urls);
	unsigned *parts = calloc(n, sizeof *parts);
	struct rng r;

	if (!urls || !parts)
		exit(1);
	make_urls(urls, parts, n);
	read_features(w, urls, rows, n, true);
	read_features(w, urls, rows, n, false);
	rng_init(&r, 3);
	for (size_t i = 0; i < n; i++) {
		unsigned part = parts[i];

		rows[i].at[FEATURE_DAYS] = (float)rng_exponential(&r, 0.01 * (1 + part % 10));
		rows[i].at[FEATURE_IMAGES] = (float)rng_below(&r, 50);
		labels[i] = (uint8_t)(rng_below(&r, 4) ? part % 10 : rng_below(&r, 10));
	}
	free(urls);
	free(parts);
}

static void classifiers(size_t n)
{
	struct feature_words w;
	struct features *rows = calloc(n, sizeof *rows);
	uint8_t *labels = calloc(n, 1);
	struct sample s = {n, rows, labels, 10, FEATURES, w.counts};
	struct bayes bayes;
	struct c45 tree;
	double start, right = 0;

	if (!rows || !labels)
		exit(1);
	feature_words_init(&w);
	make_pages(&w, rows, labels, n);
	start = processor_time();
	if (bayes_train(&bayes, &s))
		exit(1);
	report("naive Bayes: pages learned", (double)n, start, 0);
	start = processor_time();
	for (size_t i = 0; i < n; i++)
		right += bayes_predict(&bayes, &rows[i]) == labels[i];
	report("naive Bayes: pages predicted", (double)n, start, right / (double)n);
	start = processor_time();
	if (c45_train(&tree, &s))
		exit(1);
	report("C4.5: pages learned", (double)n, start, (double)tree.nodes.len);
	start = processor_time();
	right = 0;
	for (size_t i = 0; i < n; i++)
		right += c45_predict(&tree, &rows[i]) == labels[i];
	report("C4.5: pages predicted", (double)n, start, right / (double)n);
	bayes_release(&bayes);
	c45_release(&tree);
	feature_words_release(&w);
	free(rows);
	free(labels);
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : PAGES;
	struct rate_gamma *pages = calloc(n > 0 ? n : 1, sizeof *pages);
	static struct rate_interval seen[SEEN];
	struct rng r;

	if (!pages || n == 0) {
		(void)fprintf(stderr, "rate_bench [PAGES]\n");
		free(pages);
		return 1;
	}
	rng_init(&r, 1);
	for (size_t i = 0; i < n; i++)
		pages[i] = (struct rate_gamma){0.5, 15};
	for (size_t i = 0; i < SEEN; i++)
		seen[i] = (struct rate_interval){
			.length = rng_exponential(&r, 0.02), .changed = rng_below(&r, 3) == 0};
	updates(pages, n, seen, NULL);
	updates(pages, n, seen, &r);
	posteriors(seen);
	classifiers(n);
	free(pages);
	return 0;
}
