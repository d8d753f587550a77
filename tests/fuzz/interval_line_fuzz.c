/*
 * Lines of intervals: any bytes are read or refused with a sentence, and what was read has an
 * estimate that is a number, by every estimator.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "inspect/interval_line.h"
#include "plan/gamma_poisson.h"
#include "plan/posterior.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void estimate(const struct rate_interval *seen, size_t count)
{
	struct rate_gamma g = {0.5, 15};
	struct rate_posterior p;
	double rate = 0;

	require(!rate_hacs(seen, count, &rate) || (isfinite(rate) && rate >= 0));
	rate_posterior_init(&p, g, seen, count);
	require(isfinite(rate_posterior_mean(&p)));
	require(isfinite(rate_posterior_quantile(&p, 0.975)));
	for (size_t i = 0; i < count; i++)
		rate_gamma_observe(&g, seen[i]);
	require(isfinite(rate_gamma_mean(g)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rate_intervals seen = {0};
	struct err err = {0};
	int rc = rate_interval_line((slice){(const char *)data, size}, &seen, &err);

	require((rc == 0) == (err.text[0] == '\0'));
	if (rc == 0)
		estimate(seen.ptr, seen.len);
	rate_intervals_release(&seen);
	return 0;
}
