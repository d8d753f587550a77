/*
 * With r = λ/f, the changes between two periodic looks:
 *
 *	freshness  (1 - e^-r) / r               derivative  (1 - (1+r) e^-r) / λ
 *	age        (r²/2 - r + 1 - e^-r) / λr   derivative  (r²/2 - 1 + (1+r) e^-r) / λ²  (falling)
 *
 * Both derivatives lose all digits for small r and are summed as series there. The equations are
 * solved by Newton's method from a point that is known to lie above the root of a convex function:
 * it can only approach the root, never overshoot it.
 */
#include "plan/refresh_value.h"

#include <math.h>

#define SERIES_BELOW 0.5

enum {
	SERIES_TERMS = 18, /* enough for all digits below SERIES_BELOW */
	NEWTON_MAX = 100,
};

/* r²/2 - r + 1 - e^-r = r³/3! - r⁴/4! + … */
static double age_integral(double r)
{
	double term = r * r * r / 6, sum = 0;

	if (r >= SERIES_BELOW)
		return r * r / 2 - r - expm1(-r);
	for (int k = 3; k < 3 + SERIES_TERMS; k++) {
		sum += term;
		term *= -r / (k + 1);
	}
	return sum;
}

/* r²/2 - 1 + (1+r) e^-r = 2 r³/3! - 3 r⁴/4! + … */
static double age_slope(double r)
{
	double term = r * r * r / 6, sum = 0;

	if (r >= SERIES_BELOW)
		return r * r / 2 - 1 + (1 + r) * exp(-r);
	for (int k = 3; k < 3 + SERIES_TERMS; k++) {
		sum += (k - 1) * term;
		term *= -r / (k + 1);
	}
	return sum;
}

/* r - ln(1+r) = r²/2 - r³/3 + … */
static double log_gap(double r)
{
	double power = r * r, sum = 0;

	if (r >= 0.05)
		return r - log1p(r);
	for (int k = 2; k < 2 + SERIES_TERMS; k++) {
		sum += power / k;
		power *= -r;
	}
	return sum;
}

/*
 * The r with 1 - (1+r) e^-r = y, that is r - ln(1+r) = -ln(1-y) = u. It lies below u + sqrt(2u)
 * (Chatzigeorgiou, Bounds on the Lambert function, 2013).
 */
static double fresh_inverse(double y)
{
	double u = -log1p(-y), r = u + sqrt(2 * u);

	for (int i = 0; i < NEWTON_MAX && r > 0; i++) {
		double next = r - (log_gap(r) - u) * (1 + r) / r;

		if (!(next < r))
			break;
		r = next;
	}
	return r;
}

/* The r with age_slope(r) = y: age_slope is above r³/5 up to r = 1, and above r²/2 - 1. */
static double age_inverse(double y)
{
	double r = y <= 0.2 ? cbrt(5 * y) : sqrt(2 * (y + 1));

	for (int i = 0; i < NEWTON_MAX && r > 0; i++) {
		double next = r - (age_slope(r) - y) / (-r * expm1(-r));

		if (!(next < r))
			break;
		r = next;
	}
	return r;
}

/* The z = f/λ with 1/z² - 1/(1+z)² = y, which is below 1/z² and 2/z³. */
static double age_random_inverse(double y)
{
	double z = fmin(1 / sqrt(y), cbrt(2 / y));

	for (int i = 0; i < NEWTON_MAX; i++) {
		double excess = y * z * z * (1 + z) * (1 + z) - (1 + 2 * z);
		double next = z - excess / (2 * y * z * (1 + z) * (1 + 2 * z) - 2);

		if (!(next < z))
			break;
		z = next;
	}
	return z;
}

double refresh_value(enum refresh_objective objective, double rate, double f)
{
	double r = rate / f;

	if (rate == 0)
		return objective <= REFRESH_FRESH_POISSON ? 1 : 0;
	if (f == 0)
		return objective <= REFRESH_FRESH_POISSON ? 0 : INFINITY;
	switch (objective) {
	case REFRESH_FRESH_PERIODIC:
		return -expm1(-r) / r;
	case REFRESH_FRESH_POISSON:
		return 1 / (1 + r);
	case REFRESH_AGE_PERIODIC:
		return age_integral(r) / r / rate;
	case REFRESH_AGE_POISSON:
		return r / (f + rate);
	default:
		return log1p(r);
	}
}

double refresh_demand(enum refresh_objective objective, double rate, double margin)
{
	double y = margin * rate;

	switch (objective) {
	case REFRESH_FRESH_PERIODIC:
		return y < 1 ? rate / fresh_inverse(y) : 0;
	case REFRESH_FRESH_POISSON:
		return y < 1 ? rate * (1 / sqrt(y) - 1) : 0;
	case REFRESH_AGE_PERIODIC:
		return rate / age_inverse(y * rate);
	case REFRESH_AGE_POISSON:
		return rate * age_random_inverse(y * rate);
	default: /* λ / (f (f+λ)) = margin */
		return 2 * rate / (y + sqrt(y * y + 4 * y));
	}
}
