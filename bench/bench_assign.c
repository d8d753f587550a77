/*
 * The assignment problem: cost and quality of its solution.
 *
 * For families of rates and growing numbers of pages: the time of the fast solution and of the
 * bound that goes with it, in seconds of processor time and as a ratio to sorting the same rates
 * with qsort in the same run; how far the two are apart; and the peak of memory per page, inputs
 *not counted. Then the exact solution.
 *
 *	bench_assign [PAGES_MAX]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/rng.h"
#include "bench_cost.h"
#include "plan/assign.h"
#include "sim/synthetic.h"

enum kind { ZIPF, SMOOTH, SKEWED, LOGNORMAL };

static const struct family {
	const char *label;
	double delay;
	enum kind kind;
	bool gamma, weights;
} families[] = {
	{"zipf 1.2", 1, ZIPF, false, false},
	{"smooth", 1, SMOOTH, false, false},
	{"skewed", 1, SKEWED, false, false},
	{"lognormal", 1, LOGNORMAL, false, false},
	{"lognormal, delay 100", 100, LOGNORMAL, false, false},
	{"lognormal, weights", 1, LOGNORMAL, false, true},
	{"lognormal, half gamma", 1, LOGNORMAL, true, false},
	{"lognormal, both", 1, LOGNORMAL, true, true},
};

enum { FAMILIES_N = sizeof families / sizeof families[0] };

struct pages {
	struct assign_problem p;
	struct survival *survival;
	float *weight;
	double *length, *price;
	uint32_t *page_of;
};

static void *allocate(size_t n, size_t size)
{
	void *ptr = calloc(n, size);

	if (!ptr)
		abort();
	return ptr;
}

/* Of all pages; those of the papers from hot to cold. */
static void fill_rates(enum kind kind, struct rng *rng, size_t n, double *rates)
{
	static const enum synthetic_rates PAPERS[] = {
		[ZIPF] = SYNTHETIC_ZIPF,
		[SMOOTH] = SYNTHETIC_SMOOTH,
		[SKEWED] = SYNTHETIC_SKEWED,
	};

	for (size_t i = 0; kind == LOGNORMAL && i < n; i++)
		rates[i] = exp(2 * rng_normal(rng) - 8);
	if (kind != LOGNORMAL)
		synthetic_fill_rates(
			&(struct synthetic){.n = (uint32_t)n, .skew = 1.2, .rates = PAPERS[kind]},
			rates);
}

static void pages_init(struct pages *t, const struct family *f, size_t n)
{
	double *rates = allocate(n, sizeof *rates);
	struct rng rng;

	rng_init(&rng, 1);
	fill_rates(f->kind, &rng, n, rates);
	*t = (struct pages){.survival = allocate(n, sizeof *t->survival),
		.weight = allocate(n, sizeof *t->weight),
		.length = allocate(n, sizeof *t->length),
		.price = allocate(n, sizeof *t->price),
		.page_of = allocate(n, sizeof *t->page_of)};
	for (size_t i = 0; i < n; i++) {
		t->survival[i] = survival_poisson(rates[i]);
		if (f->gamma && rng_below(&rng, 2))
			t->survival[i].shape = exp(rng_normal(&rng));
		t->weight[i] = f->weights ? (float)exp(rng_normal(&rng)) : 1;
		t->length[i] = 2 * f->delay * (double)i;
	}
	t->p = (struct assign_problem){.n = n,
		.survival = t->survival,
		.weight = f->weights ? t->weight : NULL,
		.length = t->length};
	free(rates);
}

static void pages_release(struct pages *t)
{
	free(t->survival);
	free(t->weight);
	free(t->length);
	free(t->price);
	free(t->page_of);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double time_sort(const struct assign_problem *p)
{
	double *rates = allocate(p->n, sizeof *rates), from;

	/* in a scrambled order, since some families come sorted */
	for (size_t i = 0; i < p->n; i++)
		rates[i] = p->survival[i * 7919 % p->n].rate;
	from = bench_seconds();
	qsort(rates, p->n, sizeof *rates, compare);
	from = bench_seconds() - from;
	free(rates);
	return from;
}

static void must(int rc)
{
	if (rc)
		abort();
}

static void bench_fast(const struct family *f, size_t n)
{
	struct pages t;
	double sort, start, prices, bound, limit, total;
	size_t before, peak;

	pages_init(&t, f, n);
	sort = time_sort(&t.p);
	before = bench_memory_reset();
	start = bench_seconds();
	must(assign_start(&t.p, t.page_of));
	prices = bench_seconds();
	must(assign_prices(&t.p, t.page_of, t.price));
	bound = bench_seconds();
	must(assign_bound(&t.p, t.price, &limit));
	limit = fmax(limit, 0);
	peak = bench_memory_peak(before);
	printf("%-22s %8zu %8.3f %8.3f %8.3f %8.1f", f->label, n, prices - start, bound - prices,
		bench_seconds() - bound, (bench_seconds() - start) / sort);
	total = assign_total(&t.p, t.page_of);
	printf(" %14.4f %10.5f", total, 100 * (limit / total - 1));
	if (n >= 100000) /* with fewer, the allocator's own habits are all one sees */
		printf(" %7.0f", (double)peak / (double)n);
	printf("\n");
	(void)fflush(stdout);
	pages_release(&t);
}

static void bench_exact(const struct family *f, size_t n)
{
	struct pages t;
	double from, start, limit, total;

	pages_init(&t, f, n);
	from = bench_seconds();
	must(assign_start(&t.p, t.page_of));
	must(assign_prices(&t.p, t.page_of, t.price));
	start = assign_total(&t.p, t.page_of);
	must(assign_exact(&t.p, SIZE_MAX, t.page_of, t.price, &limit));
	from = bench_seconds() - from;
	total = assign_total(&t.p, t.page_of);
	printf("%-22s %8zu %8.3f %14.4f %10.5f %10.1e\n", f->label, n, from, total,
		100 * (1 - start / total), fabs(limit / total - 1));
	(void)fflush(stdout);
	pages_release(&t);
}

int main(int argc, char **argv)
{
	static const size_t exact[] = {1000, 2000, 5000};
	uint64_t max = 1000000;

	if (argc > 1 && (parse_u64(slice_str(argv[1]), &max) || max < 1000)) {
		(void)fprintf(stderr, "usage: bench_assign [PAGES_MAX]\n");
		return 2;
	}
	printf("%-22s %8s %8s %8s %8s %8s %14s %10s %7s\n", "fast", "pages", "start s", "prices s",
		"bound s", "x sort", "reached", "gap %", "bytes");
	for (size_t f = 0; f < FAMILIES_N; f++)
		for (size_t n = 1000; n <= max; n *= 10)
			bench_fast(&families[f], n);
	printf("\n%-22s %8s %8s %14s %10s %10s\n", "exact", "pages", "all s", "optimum", "start -%",
		"dual gap");
	for (size_t f = 0; f < FAMILIES_N; f++)
		for (size_t k = 0; k < sizeof exact / sizeof exact[0]; k++)
			bench_exact(&families[f], exact[k]);
	return 0;
}
