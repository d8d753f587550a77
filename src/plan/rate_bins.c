#include "plan/rate_bins.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Takes rates from the first on until the bin has its share and the next one differs. */
static size_t fill(const double *rates, size_t count, size_t bins_left, double *ret_mean)
{
	double share = (double)count / (double)bins_left, sum = 0;
	size_t n = 0;

	/* Differences to the first: the mean of equal rates is exactly theirs. */
	do
		sum += rates[n++] - rates[0];
	while (n < count && ((double)n < share - 0.5 || rates[n] == rates[n - 1]));
	*ret_mean = rates[0] + sum / (double)n;
	return n;
}

int rate_bins_make(const double *rates, size_t count, struct rate_bins *ret)
{
	double *sorted = malloc((count + 1) * sizeof *sorted);
	size_t n = 0, done = 0;

	if (!sorted)
		return ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		if (isfinite(rates[i]) && rates[i] >= 0)
			sorted[n++] = rates[i];
	qsort(sorted, n, sizeof *sorted, compare);
	*ret = (struct rate_bins){0};
	while (done < n && ret->count < RATE_BINS_MAX) {
		done += fill(sorted + done, n - done, RATE_BINS_MAX - ret->count,
			&ret->mean[ret->count]);
		ret->upper[ret->count++] = sorted[done - 1];
	}
	free(sorted);
	return 0;
}

size_t rate_bins_find(const struct rate_bins *b, double rate)
{
	size_t i = 0;

	while (i + 1 < b->count && rate > b->upper[i])
		i++;
	return i;
}
