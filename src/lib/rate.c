#include <stdlib.h>
#include <stillpoint/rate.h>
#include <stillpoint/survival.h>

#include "base/slice.h"
#include "lib/check.h"
#include "plan/survival.h"
#include "rate/frequency.h"
#include "rate/gamma_poisson.h"

int sp_survival_at(double rate, double shape, double length, double *ret_probability)
{
	struct survival s = {.rate = rate, .shape = shape};

	if (!lib_is_not_negative(rate) || !lib_is_not_negative(shape) ||
		!lib_is_not_negative(length) || !ret_probability)
		return SP_ERROR_ARGUMENT;
	*ret_probability = survival_at(s, length);
	return SP_OK;
}

int sp_survival_confidence(double rate, double shape, double tau, double *ret_length)
{
	struct survival s = {.rate = rate, .shape = shape};

	if (!lib_is_not_negative(rate) || !lib_is_not_negative(shape) || !(tau > 0 && tau <= 1) ||
		!ret_length)
		return SP_ERROR_ARGUMENT;
	*ret_length = survival_confidence(s, tau);
	return SP_OK;
}

int sp_rate_fit(size_t n, const uint64_t *changes, const double *times, double *ret_prior_shape,
	double *ret_prior_time)
{
	struct rate_count *counts;
	struct rate_gamma prior;

	if (!lib_is_array(n, changes) || !lib_are_at_least(0, n, times) || !ret_prior_shape ||
		!ret_prior_time)
		return SP_ERROR_ARGUMENT;
	counts = calloc(n ? n : 1, sizeof *counts);
	if (!counts)
		return SP_ERROR_MEMORY;
	for (size_t i = 0; i < n; i++)
		counts[i] = (struct rate_count){.changes = changes[i], .time = times[i]};
	prior = rate_gamma_fit(counts, n);
	free(counts);
	*ret_prior_shape = prior.shape;
	*ret_prior_time = prior.time;
	return SP_OK;
}

int sp_rate_posterior(double prior_shape, double prior_time, uint64_t changes, double time,
	double *ret_rate, double *ret_shape)
{
	struct rate_gamma prior = {.shape = prior_shape, .time = prior_time}, page;

	if (!lib_is_positive(prior_shape) || !lib_is_positive(prior_time) ||
		!lib_is_not_negative(time) || !ret_rate || !ret_shape)
		return SP_ERROR_ARGUMENT;
	page = rate_gamma_posterior(prior, (struct rate_count){.changes = changes, .time = time});
	*ret_rate = page.shape / page.time;
	*ret_shape = page.shape;
	return SP_OK;
}

int sp_rate_of_changefreq(const char *word, double *ret_rate)
{
	if (!word || !ret_rate)
		return SP_ERROR_ARGUMENT;
	return frequency_rate(slice_str(word), ret_rate) ? SP_OK : SP_ERROR_ARGUMENT;
}
