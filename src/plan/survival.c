#include "plan/survival.h"

#include <math.h>

bool survival_valid(struct survival s)
{
	return isfinite(s.rate) && s.rate >= 0 && isfinite(s.shape) && s.shape >= 0;
}

/* log(1 + rate L / shape), also where the quotient is too large for a double. */
static double log_growth(struct survival s, double length)
{
	double x = s.rate * length / s.shape;

	return isfinite(x) ? log1p(x) : log(s.rate) + log(length) - log(s.shape);
}

double survival_at(struct survival s, double length)
{
	if (s.shape == 0)
		return decay(s.rate * length);
	return exp(-s.shape * log_growth(s, length));
}

void survival_series(struct survival s, double first, double step, double *ret, size_t n)
{
	double at = s.shape == 0 ? survival_at(s, first) : 0;
	double ratio = s.shape == 0 ? survival_at(s, step) : 0;

	for (size_t i = 0; i < n; i++, at *= ratio)
		ret[i] = s.shape == 0 ? at : survival_at(s, first + (double)i * step);
}

double survival_sensitivity(struct survival s, double length)
{
	if (s.shape == 0)
		return length * decay(s.rate * length);
	return length * exp(-(s.shape + 1) * log_growth(s, length));
}

struct survival survival_after(struct survival s, double a, double *ret_factor)
{
	*ret_factor = survival_at(s, a);
	if (s.shape != 0) {
		double x = s.rate * a / s.shape;

		s.rate = isfinite(x) ? s.rate / (1 + x) : s.shape / a;
	}
	return s;
}

double survival_confidence(struct survival s, double tau)
{
	double x;

	if (s.rate == 0)
		return INFINITY;
	if (s.shape == 0)
		return -log(tau) / s.rate;
	x = -log(tau) / s.shape;
	if (x > 700) /* where expm1 is infinite and shape / rate may be 0 */
		return exp(log(s.shape) - log(s.rate) + x);
	return s.shape / s.rate * expm1(x);
}
