#include "plan/survival.h"

#include <math.h>

bool survival_valid(struct survival s)
{
	return isfinite(s.rate) && s.rate >= 0 && isfinite(s.shape) && s.shape >= 0;
}

/* e^(-x) for x >= 0, without the slow walk through denormal numbers. */
static double decay(double x)
{
	return x < 700 ? exp(-x) : 0;
}

double survival_at(struct survival s, double length)
{
	if (s.shape == 0)
		return decay(s.rate * length);
	return exp(-s.shape * log1p(s.rate * length / s.shape));
}

double survival_sensitivity(struct survival s, double length)
{
	if (s.shape == 0)
		return length * decay(s.rate * length);
	return length * exp(-(s.shape + 1) * log1p(s.rate * length / s.shape));
}

struct survival survival_after(struct survival s, double a, double *ret_factor)
{
	*ret_factor = survival_at(s, a);
	if (s.shape != 0)
		s.rate /= 1 + s.rate * a / s.shape;
	return s;
}

double survival_confidence(struct survival s, double tau)
{
	if (s.rate == 0)
		return INFINITY;
	if (s.shape == 0)
		return -log(tau) / s.rate;
	return s.shape / s.rate * expm1(-log(tau) / s.shape);
}
