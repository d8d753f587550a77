#include "histories/ranking.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"

struct place {
	double key; /* ascending */
	uint64_t tie;
	size_t page;
};

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->tie > b->tie) - (a->tie < b->tie);
}

static double average_precision(
	const struct ranked *pages, const struct place *expected, size_t count)
{
	double sum = 0, due = 0;

	for (size_t k = 0; k < count; k++)
		if (pages[expected[k].page].due) {
			due++;
			sum += due / (double)(k + 1);
		}
	return due > 0 ? sum / due : NAN;
}

/* met[i]: how many of the two orders have come past page i. */
static double weighted(
	const struct place *expected, const struct place *real, size_t count, unsigned char *met)
{
	double common = 0, sum = 0, weights = 0;

	for (size_t k = 0; k < count; k++) {
		double weight = 1 / log2((double)k + 2);

		common += met[expected[k].page]++ > 0;
		common += met[real[k].page]++ > 0;
		sum += weight * common / (double)(k + 1);
		weights += weight;
	}
	return count > 0 ? sum / weights : 0;
}

int ranking_measure(
	const struct ranked *pages, size_t count, struct rng *randoms, struct ranking_value *ret)
{
	struct place *expected = calloc(2 * count + 1, sizeof *expected), *real = NULL;
	unsigned char *met = calloc(count + 1, 1);
	int rc = expected && met ? 0 : ERR_NOMEM;

	if (rc == 0) {
		real = expected + count;
		for (size_t i = 0; i < count; i++) {
			expected[i] = (struct place){-pages[i].score, rng_u64(randoms), i};
			real[i] = (struct place){pages[i].change, rng_u64(randoms), i};
		}
		qsort(expected, count, sizeof *expected, compare);
		qsort(real, count, sizeof *real, compare);
		ret->average_precision = average_precision(pages, expected, count);
		ret->weighted_p_at_k = weighted(expected, real, count, met);
	}
	free(expected);
	free(met);
	return rc;
}

struct ranking_value ranking_random(size_t count, size_t due)
{
	double sum = 0, weights = 0, precision = 0;
	double more = count > 1 ? ((double)due - 1) / ((double)count - 1) : 0;

	for (size_t k = 1; k <= count; k++) {
		double weight = 1 / log2((double)k + 1);

		sum += weight * (double)k / (double)count;
		weights += weight;
		precision += (1 + (double)(k - 1) * more) / (double)k;
	}
	return (struct ranking_value){
		.weighted_p_at_k = count > 0 ? sum / weights : 0,
		.average_precision = due > 0 ? precision / (double)count : NAN,
	};
}
