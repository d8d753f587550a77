#include <stillpoint/measure.h>

#include "lib/check.h"
#include "measure/actual.h"
#include "measure/blur.h"
#include "measure/coherence.h"

static bool is_interval(double start, double end)
{
	return lib_is_number(start) && lib_is_number(end) && start <= end;
}

static bool are_ordered(size_t n, const double *visits, const double *revisits)
{
	for (size_t i = 0; i < n; i++)
		if (!is_interval(visits[i], revisits[i]))
			return false;
	return true;
}

static bool is_history(size_t n, const double *changes)
{
	return lib_are_at_least(-LIB_NUMBER_MAX, n, changes) &&
	       (n < 2 || are_ordered(n - 1, changes, changes + 1));
}

int sp_blur_expected(size_t n, const double *rates, const double *visits, const double *revisits,
	double start, double end, double *ret_blur)
{
	struct blur_interval obs = {start, end};

	if (!lib_are_at_least(0, n, rates) || !lib_are_at_least(-LIB_NUMBER_MAX, n, visits) ||
		!is_interval(start, end) || !ret_blur)
		return SP_ERROR_ARGUMENT;
	if (revisits && !are_ordered(n, visits, revisits))
		return SP_ERROR_ARGUMENT;
	*ret_blur = revisits ? blur_capture_revisit(n, rates, visits, revisits, obs)
			     : blur_capture(n, rates, visits, obs);
	return SP_OK;
}

int sp_blur_actual(size_t n, const double *changes, double visit, double revisit, double start,
	double end, double *ret_blur)
{
	struct change_history history = {changes, n};
	struct blur_interval obs = {start, end};

	if (!is_history(n, changes) || !is_interval(visit, revisit) || !is_interval(start, end) ||
		!ret_blur)
		return SP_ERROR_ARGUMENT;
	*ret_blur = blur_actual_page_revisit(history, visit, revisit, obs);
	return SP_OK;
}

int sp_coherence_expected(size_t n, const double *rates, const double *lengths,
	const double *weights, double *ret_coherence)
{
	if (!lib_are_at_least(0, n, rates) || !lib_are_at_least(0, n, lengths) ||
		(weights && !lib_are_at_least(0, n, weights)) || !ret_coherence)
		return SP_ERROR_ARGUMENT;
	*ret_coherence = coherence_expected(n, rates, lengths, weights);
	return SP_OK;
}

int sp_coherence_actual(
	size_t n, const double *changes, double visit, double revisit, int *ret_coherent)
{
	struct change_history history = {changes, n};

	if (!is_history(n, changes) || !is_interval(visit, revisit) || !ret_coherent)
		return SP_ERROR_ARGUMENT;
	*ret_coherent = coherence_actual_page(history, visit, revisit);
	return SP_OK;
}
