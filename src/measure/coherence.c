/* SHARC Definitions 2 and 5, and actual incoherence of section 9.2. */
#include "measure/coherence.h"

#include <math.h>

#include "measure/sum.h"

double coherence_expected_page(double rate, double length)
{
	if (!(rate >= 0) || !(length >= 0))
		return NAN;
	/* Not left to exp: 0 times infinity is NaN, and a page looked at once cannot differ. */
	if (rate == 0 || length == 0)
		return 1;
	return exp(-rate * length);
}

static double weight_of(const double *weights, size_t i)
{
	return weights ? weights[i] : 1;
}

double coherence_expected(
	size_t n, const double *rates, const double *lengths, const double *weights)
{
	struct sum coherence = {0};

	for (size_t i = 0; i < n; i++)
		sum_add(&coherence,
			weight_of(weights, i) * coherence_expected_page(rates[i], lengths[i]));
	return sum_value(&coherence);
}

bool coherence_actual_page(struct change_history history, double visit, double revisit)
{
	return visit <= revisit &&
	       change_history_before(history, visit) == change_history_until(history, revisit);
}
