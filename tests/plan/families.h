/* Random assignment problems of every kind the planner meets. Seeds are fixed by the tests. */
#ifndef TESTS_PLAN_FAMILIES_H
#define TESTS_PLAN_FAMILIES_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/rng.h"
#include "plan/assign.h"

enum family_rates { RATES_WIDE, RATES_NARROW, RATES_ZIPF, RATES_FEW, RATES_EQUAL, RATES_ZERO };
enum family_weights { WEIGHTS_NONE, WEIGHTS_WIDE, WEIGHTS_FEW, WEIGHTS_TINY, WEIGHTS_SOME_ZERO };
enum family_lengths { LENGTHS_EVEN, LENGTHS_RANDOM, LENGTHS_REPEATED };

struct family {
	const char *label;
	enum family_rates rates;
	bool gamma; /* half of the pages */
	enum family_weights weights;
	enum family_lengths lengths;
};

static const struct family families[] = {
	{"wide rates", RATES_WIDE, false, WEIGHTS_NONE, LENGTHS_EVEN},
	{"narrow rates", RATES_NARROW, false, WEIGHTS_NONE, LENGTHS_EVEN},
	{"zipf rates", RATES_ZIPF, false, WEIGHTS_NONE, LENGTHS_EVEN},
	{"few rates", RATES_FEW, false, WEIGHTS_NONE, LENGTHS_EVEN},
	{"equal rates", RATES_EQUAL, false, WEIGHTS_NONE, LENGTHS_RANDOM},
	{"no changes", RATES_ZERO, true, WEIGHTS_WIDE, LENGTHS_RANDOM},
	{"random lengths", RATES_WIDE, false, WEIGHTS_NONE, LENGTHS_RANDOM},
	{"repeated lengths", RATES_WIDE, true, WEIGHTS_NONE, LENGTHS_REPEATED},
	{"gamma", RATES_WIDE, true, WEIGHTS_NONE, LENGTHS_EVEN},
	{"weights", RATES_WIDE, false, WEIGHTS_WIDE, LENGTHS_EVEN},
	{"gamma, weights", RATES_NARROW, true, WEIGHTS_WIDE, LENGTHS_RANDOM},
	{"few rates, few weights", RATES_FEW, false, WEIGHTS_FEW, LENGTHS_EVEN},
	{"few rates, gamma", RATES_FEW, true, WEIGHTS_NONE, LENGTHS_EVEN},
	{"tiny weights", RATES_WIDE, true, WEIGHTS_TINY, LENGTHS_EVEN},
	{"some weights 0", RATES_WIDE, false, WEIGHTS_SOME_ZERO, LENGTHS_EVEN},
};

enum { FAMILIES_N = sizeof families / sizeof families[0] };

/* A problem that owns its arrays, and room for its solution. */
struct instance {
	struct assign_problem p;
	struct survival *survival;
	float *weight; /* or NULL */
	double *length, *price;
	uint32_t *page_of;
};

static inline double family_rate(enum family_rates rates, struct rng *rng, size_t i, size_t n)
{
	static const double few[] = {1e-4, 1e-3, 0.01, 1};

	switch (rates) {
	case RATES_WIDE:
		return exp(4 * rng_normal(rng) - 1) * 30 / (double)n;
	case RATES_NARROW:
		return exp(rng_normal(rng)) * 3 / (double)n;
	case RATES_ZIPF:
		return pow((double)i + 1, -1.2);
	case RATES_FEW:
		return few[rng_below(rng, 4)] * 50 / (double)n;
	case RATES_EQUAL:
		return 2 / (double)n;
	case RATES_ZERO:
		break;
	}
	return 0;
}

static inline float family_weight(enum family_weights weights, struct rng *rng)
{
	switch (weights) {
	case WEIGHTS_NONE:
		break;
	case WEIGHTS_WIDE:
		return (float)exp(rng_normal(rng));
	case WEIGHTS_FEW:
		return (float)(1 + rng_below(rng, 3));
	case WEIGHTS_TINY:
		return (float)(1e-30 * exp(2 * rng_normal(rng)));
	case WEIGHTS_SOME_ZERO:
		return rng_below(rng, 2) ? (float)rng_double(rng) : 0;
	}
	return 1;
}

static inline double family_step(enum family_lengths lengths, struct rng *rng)
{
	switch (lengths) {
	case LENGTHS_EVEN:
		break;
	case LENGTHS_RANDOM:
		return rng_exponential(rng, 1);
	case LENGTHS_REPEATED:
		return rng_below(rng, 2) ? 0 : 1;
	}
	return 2;
}

static inline void *family_alloc(size_t n, size_t size)
{
	void *ptr = calloc(n + 1, size);

	if (!ptr)
		abort();
	return ptr;
}

static inline void instance_init(
	struct instance *t, const struct family *f, struct rng *rng, size_t n)
{
	t->survival = family_alloc(n, sizeof *t->survival);
	t->weight = NULL;
	t->length = family_alloc(n, sizeof *t->length);
	t->price = family_alloc(n, sizeof *t->price);
	t->page_of = family_alloc(n, sizeof *t->page_of);
	if (f->weights != WEIGHTS_NONE)
		t->weight = family_alloc(n, sizeof *t->weight);
	for (size_t i = 0; i < n; i++) {
		t->survival[i] = survival_poisson(family_rate(f->rates, rng, i, n));
		if (f->gamma && rng_below(rng, 2))
			t->survival[i].shape = exp(rng_normal(rng));
		if (t->weight)
			t->weight[i] = family_weight(f->weights, rng);
		if (i > 0)
			t->length[i] = t->length[i - 1] + family_step(f->lengths, rng);
	}
	t->p = (struct assign_problem){
		.n = n, .survival = t->survival, .weight = t->weight, .length = t->length};
}

static inline void instance_release(struct instance *t)
{
	free(t->survival);
	free(t->weight);
	free(t->length);
	free(t->price);
	free(t->page_of);
}

#endif
