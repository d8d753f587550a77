#include "histories/bootstrap.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/rng.h"
#include "base/sort.h"

struct block {
	double sum;
	size_t count;
};

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

/* The mean over all blocks, or with a generator over as many, drawn with repetition. */
static double mean_of(const struct block *blocks, uint32_t used, struct rng *rng)
{
	struct block all = {0};

	for (uint32_t i = 0; i < used; i++) {
		const struct block *one = &blocks[rng ? rng_below(rng, used) : i];

		all.sum += one->sum;
		all.count += one->count;
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

		mean = mean_of(blocks, used, NULL);
		for (int i = 0; !isnan(mean) && i < BOOTSTRAP_ROUNDS; i++)
			means[i] = mean_of(blocks, used, &rng);
	}
	if (rc == 0 && !isnan(mean)) {
		qsort(means, BOOTSTRAP_ROUNDS, sizeof *means, sort_by_value);
		result = (struct bootstrap_mean){mean, means[BOOTSTRAP_ROUNDS / 40],
			means[BOOTSTRAP_ROUNDS - 1 - BOOTSTRAP_ROUNDS / 40]};
	}
	free(blocks);
	free(means);
	if (rc == 0)
		*ret_mean = result;
	return rc;
}
