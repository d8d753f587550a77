/*
 * On the logarithm x of the rate the density is log-concave: its logarithm
 *
 *	f(x) = a x - b e^x + sum log(1 - e^(-z)),  z = t e^x
 *
 * has the falling derivative a - b e^x + sum z/(e^z - 1). So there is one mode, which can be
 * bracketed as in plan/rate_estimate.c, and tails that fall at least as fast as e^x on the left.
 *The function is analytic: the trapezoidal rule over the range that matters converges
 * exponentially. Quantiles are interpolated and need the finer step.
 */
#include "plan/posterior.h"

#include <math.h>

#include "plan/brent.h"
#include "plan/gamma_poisson.h"

static const double DEPTH = 42;        /* what is e^-42 of the mode does not matter */
static const double STEP_WIDEST = 0.5; /* flanks are never steeper than this is fine enough for */
static const double STEPS_PER_WIDTH = 24; /* moments need 4, quantiles more */

struct density {
	double a, b; /* with unchanged intervals, and changes whose time is known */
	const struct rate_interval *intervals;
	size_t count;
};

static bool is_censored(const struct rate_interval *i)
{
	return i->changed && !i->exact;
}

static double value(const struct density *d, double x)
{
	double rate = exp(x), sum = d->a * x - d->b * rate;

	for (size_t i = 0; i < d->count; i++)
		if (is_censored(&d->intervals[i])) {
			double z = rate * rate_length(d->intervals[i].length);

			sum += z > 0 ? log(-expm1(-z)) : 0;
		}
	return sum;
}

static double slope(const void *context, double x)
{
	const struct density *d = context;
	double rate = exp(x), sum = d->a - d->b * rate;

	for (size_t i = 0; i < d->count; i++) {
		double z = rate * rate_length(d->intervals[i].length);

		if (is_censored(&d->intervals[i]) && z > 0)
			sum += z / expm1(z);
	}
	return sum;
}

/* Minus the second derivative, > 0. */
static double curvature(const struct density *d, double x)
{
	double rate = exp(x), sum = d->b * rate;

	for (size_t i = 0; i < d->count; i++) {
		double z = rate * rate_length(d->intervals[i].length);

		if (is_censored(&d->intervals[i]) && z > 0)
			sum += z / expm1(z) * (z / -expm1(-z) - 1);
	}
	return sum;
}

/* How far from the mode in the direction of step until the density no longer matters. */
static double reach(const struct density *d, double mode, double top, double step)
{
	double far = step;

	while (fabs(far) < 1000 && value(d, mode + far) > top - DEPTH)
		far *= 1.5;
	return far;
}

static void integrate(struct rate_posterior *p, const struct density *d, double mode)
{
	double top = value(d, mode), width = fmin(1 / sqrt(curvature(d, mode)), STEP_WIDEST);
	double low = mode + reach(d, mode, top, -width), high = mode + reach(d, mode, top, width);
	double step = fmax(width / STEPS_PER_WIDTH, (high - low) / (RATE_NODES_MAX - 1));
	double sum = 0;

	p->count = (size_t)fmin((high - low) / step + 1, RATE_NODES_MAX);
	for (size_t i = 0; i < p->count; i++) {
		double x = low + (double)i * step;

		p->rates[i] = exp(x);
		p->weights[i] = exp(value(d, x) - top);
		sum += p->weights[i];
	}
	for (size_t i = 0; i < p->count; i++)
		p->weights[i] /= sum;
}

/* What keeps a Gamma distribution one goes into it; the rest is tallied. */
static struct rate_tally take_conjugate(
	struct rate_gamma *g, const struct rate_interval *intervals, size_t count)
{
	struct rate_tally censored = {0};

	for (size_t i = 0; i < count; i++) {
		double length = rate_length(intervals[i].length);

		if (length > 0 && is_censored(&intervals[i])) {
			censored.m++;
			censored.changed += length;
		} else {
			g->shape += intervals[i].changed && length > 0;
			g->time += length;
		}
	}
	*g = rate_gamma_clean(*g);
	return censored;
}

void rate_posterior_init(struct rate_posterior *p, struct rate_gamma prior,
	const struct rate_interval *intervals, size_t count)
{
	struct density d = {.intervals = intervals, .count = count};
	struct rate_tally t;
	double events;

	p->gamma = rate_gamma_clean(prior);
	t = take_conjugate(&p->gamma, intervals, count);
	d.a = p->gamma.shape;
	d.b = p->gamma.time;
	p->count = 0;
	if (t.m == 0)
		return;
	events = d.a + (double)t.m;
	integrate(p, &d,
		rate_brent(
			slope, &d, log(events / (d.b + t.changed / 2)), log(events / d.b), 1e-9));
}

double rate_posterior_mean(const struct rate_posterior *p)
{
	double sum = 0;

	if (p->count == 0)
		return rate_gamma_mean(p->gamma);
	for (size_t i = 0; i < p->count; i++)
		sum += p->weights[i] * p->rates[i];
	return sum;
}

/* Half of a node's probability lies below it; between two nodes the logarithm is interpolated. */
double rate_posterior_quantile(const struct rate_posterior *p, double share)
{
	double before = 0, below = 0;

	if (p->count == 0)
		return rate_gamma_quantile(p->gamma, share);
	for (size_t i = 0; i < p->count; i++) {
		double at = below + p->weights[i] / 2;

		if (at >= share) {
			double part = i > 0 && at > before ? (share - before) / (at - before) : 1;

			return i == 0 ? p->rates[0]
				      : p->rates[i - 1] *
						exp(part * log(p->rates[i] / p->rates[i - 1]));
		}
		before = at;
		below += p->weights[i];
	}
	return p->rates[p->count - 1];
}

double rate_posterior_within(const struct rate_posterior *p, double horizon)
{
	double sum = 0;

	if (!(horizon > 0))
		return 0;
	if (p->count == 0)
		return -expm1(-p->gamma.shape * log1p(horizon / p->gamma.time));
	for (size_t i = 0; i < p->count; i++)
		sum -= p->weights[i] * expm1(-p->rates[i] * horizon);
	return fmin(sum, 1);
}

struct rate_gamma rate_posterior_gamma(const struct rate_posterior *p)
{
	double mean = rate_posterior_mean(p), variance = 0;

	if (p->count == 0)
		return p->gamma;
	for (size_t i = 0; i < p->count; i++)
		variance += p->weights[i] * (p->rates[i] - mean) * (p->rates[i] - mean);
	return rate_gamma_clean((struct rate_gamma){mean * mean / variance, mean / variance});
}
