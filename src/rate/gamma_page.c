/*
 * Mean and variance after a change within t. With prior Gamma(a, b) the posterior density is
 * proportional to x^(a-1) e^(-bx) (1 - e^(-xt)), the difference of two Gamma densities. With
 *
 *	r = b/(b+t),  c = 1 - r,  s = r^a / (1 - r^a)
 *
 * the mean is (a/b) A with A = 1 + s c, and the squared coefficient of variation
 *
 *	((1 + s c (1 + r)) / a  -  s (1 + s) c^2) / A^2
 *
 * in which nothing large cancels. For t -> 0 this is the conjugate update (a + 1, b), for
 * t -> infinity it is the prior: that a page changes at all within such a time says nothing.
 */
#include "rate/gamma_page.h"

#include <math.h>

#include "rate/incomplete_gamma.h"

static double clamp(double x, double low, double high)
{
	if (!(x > low))
		return low;
	return x < high ? x : high;
}

struct rate_gamma rate_gamma_clean(struct rate_gamma g)
{
	return (struct rate_gamma){
		.shape = clamp(g.shape, RATE_SHAPE_MIN, RATE_SHAPE_MAX),
		.time = clamp(g.time, RATE_TIME_MIN, RATE_TIME_MAX),
	};
}

static void add(struct rate_gamma *g, double shape, double time)
{
	*g = rate_gamma_clean((struct rate_gamma){g->shape + shape, g->time + time});
}

static void observe_change(struct rate_gamma *g, double t)
{
	double a = g->shape, b = g->time;
	double r = b / (b + t), c = t / (b + t), s = 1 / expm1(a * log1p(t / b));
	double mean_factor = 1 + s * c;
	double spread =
		((1 + s * c * (1 + r)) / a - s * (1 + s) * c * c) / (mean_factor * mean_factor);
	double shape = clamp(1 / spread, RATE_SHAPE_MIN, RATE_SHAPE_MAX);

	/* An observation of a change never makes the mean smaller, nor the shape. */
	shape = shape > a ? shape : a;
	*g = rate_gamma_clean((struct rate_gamma){shape, shape * b / (a * mean_factor)});
}

void rate_gamma_observe(struct rate_gamma *g, struct rate_interval seen)
{
	double t = rate_length(seen.length);

	if (t == 0)
		return;
	if (seen.changed && seen.exact)
		add(g, 1, t);
	else if (seen.changed)
		observe_change(g, t);
	else
		add(g, 0, t);
}

double rate_gamma_survival(struct rate_gamma g, double length)
{
	return length > 0 ? exp(-g.shape * log1p(length / g.time)) : 1;
}

double rate_gamma_quantile(struct rate_gamma g, double p)
{
	return rate_gamma_p_inverse(g.shape, p) / g.time;
}
