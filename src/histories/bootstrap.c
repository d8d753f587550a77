#include "histories/bootstrap.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/rng.h"

struct block {
	double sum;
	size_t count;
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The blocks that hold something, at the beginning of the array; how many. */
static uint32_t fill(const struct bootstrap *b, const double *values, struct block *blocks)
{
	uint32_t used = 0;

	for (size_t i = 0; i < b->count; i++) {
		blocks[b->blocks[i]].sum += values[i];
		blocks[b->blocks[i]].count++;
	}
	for (uint32_t i = 0; i < b->block_count; i++)
		if (blocks[i].count > 0)
			blocks[used++] = blocks[i];
	return used;
}

/* As many blocks as there are, with repetition. */
static double resample(struct rng *rng, const struct block *blocks, uint32_t used)
{
	struct block all = {0};

	for (uint32_t i = 0; i < used; i++) {
		const struct block *one = &blocks[rng_below(rng, used)];

		all.sum += one->sum;
		all.count += one->count;
	}
	return all.sum / (double)all.count;
}

static double mean_of(const struct block *blocks, uint32_t used)
{
	struct block all = {0};

	for (uint32_t i = 0; i < used; i++) {
		all.sum += blocks[i].sum;
		all.count += blocks[i].count;
	}
	return all.sum / (double)all.count;
}

int bootstrap_mean(const struct bootstrap *b, const double *values, struct bootstrap_mean *ret_mean)
{
	struct block *blocks = calloc(b->block_count + 1, sizeof *blocks);
	double *means = calloc(BOOTSTRAP_ROUNDS, sizeof *means), mean = NAN;
	struct bootstrap_mean result = {NAN, NAN, NAN};
	int rc = blocks && means ? 0 : ERR_NOMEM;
	struct rng rng;

	rng_init(&rng, b->seed);
	if (rc == 0) {
		uint32_t used = fill(b, values, blocks);

		mean = mean_of(blocks, used);
		for (int i = 0; !isnan(mean) && i < BOOTSTRAP_ROUNDS; i++)
			means[i] = resample(&rng, blocks, used);
	}
	if (rc == 0 && !isnan(mean)) {
		qsort(means, BOOTSTRAP_ROUNDS, sizeof *means, by_value);
		result = (struct bootstrap_mean){mean, means[BOOTSTRAP_ROUNDS / 40],
			means[BOOTSTRAP_ROUNDS - 1 - BOOTSTRAP_ROUNDS / 40]};
	}
	free(blocks);
	free(means);
	if (rc == 0)
		*ret_mean = result;
	return rc;
}
