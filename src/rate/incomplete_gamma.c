/*
 * P(a, x) by its series below a + 1 and by the continued fraction of 1 - P above (Abramowitz and
 * Stegun, 6.5.29 and 6.5.31), for large shapes by Wilson and Hilferty's normal approximation.
 */
#include "rate/incomplete_gamma.h"

#include <float.h>
#include <math.h>

enum { TERMS_MAX = 20000, BISECTIONS = 90 };

static const double SHAPE_LARGE = 1e5, TINY = 1e-300, LOG_SMALL = -30;

/* log G(x), x > 0; unlike lgamma it shares no state between threads. */
static double rate_log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

double rate_digamma(double x)
{
	double sum = 0, y;

	while (x < 8) {
		sum -= 1 / x;
		x += 1;
	}
	y = 1 / (x * x);
	return sum + log(x) - 0.5 / x -
	       y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y / 240)));
}

static double series(double a, double x)
{
	double term = 1 / a, sum = term;

	for (int i = 1; i < TERMS_MAX && term > sum * DBL_EPSILON; i++) {
		term *= x / (a + i);
		sum += term;
	}
	return sum * exp(a * log(x) - x - rate_log_gamma(a));
}

/* 1 - P, by Lentz's method. */
static double fraction(double a, double x)
{
	double b = x + 1 - a, c = 1 / TINY, d = 1 / b, product = d, factor = 0;

	for (int i = 1; i < TERMS_MAX && fabs(factor - 1) > DBL_EPSILON; i++) {
		double an = -i * (i - a);

		b += 2;
		d = an * d + b;
		d = 1 / (fabs(d) < TINY ? TINY : d);
		c = b + an / c;
		c = fabs(c) < TINY ? TINY : c;
		factor = c * d;
		product *= factor;
	}
	return product * exp(a * log(x) - x - rate_log_gamma(a));
}

double rate_gamma_p(double a, double x)
{
	if (!(x > 0))
		return 0;
	if (a > SHAPE_LARGE)
		return erfc((1 - 1 / (9 * a) - cbrt(x / a)) * sqrt(9 * a / 2)) / 2;
	if (x < a + 1)
		return fmin(series(a, x), 1);
	return isinf(x) ? 1 : fmax(1 - fraction(a, x), 0);
}

double rate_gamma_p_inverse(double a, double p)
{
	/* P(a, x) <= x^a / G(a+1), nearly with equality where x is small. */
	double low = (log(p) + rate_log_gamma(a + 1)) / a, high;

	if (low < LOG_SMALL)
		return exp(low);
	high = log(a + 20 * sqrt(a) - log1p(-p) + 50);
	for (int i = 0; i < BISECTIONS && high - low > 1e-14 * fabs(high); i++) {
		double middle = (low + high) / 2;

		if (rate_gamma_p(a, exp(middle)) < p)
			low = middle;
		else
			high = middle;
	}
	return exp((low + high) / 2);
}
