/*
 * Maximum likelihood for counts k_i over times t_i, with Gamma(a, b) mixing:
 *
 *	sum_i  log G(a + k_i) - log G(a) + a log b - (a + k_i) log(b + t_i)      (+ constants)
 *
 * For a fixed a the best b is the root of a falling function, so it can be bracketed; what is left
 * is a function of a alone, searched by golden section on a logarithmic scale.
 */
#include "plan/gamma_poisson.h"

#include <float.h>
#include <math.h>

enum { TERMS_MAX = 20000, GAMMA_BISECTIONS = 90 };

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
	for (int i = 0; i < GAMMA_BISECTIONS && high - low > 1e-14 * fabs(high); i++) {
		double middle = (low + high) / 2;

		if (rate_gamma_p(a, exp(middle)) < p)
			low = middle;
		else
			high = middle;
	}
	return exp((low + high) / 2);
}

static const double SHAPE_MIN = 1e-3, SHAPE_MAX = 1e3;

enum {
	GOLDEN_STEPS = 24, /* to within a factor 1.0002 of the shape */
	BISECTIONS = 200,  /* more than it ever takes */
	FEW = 24,          /* factors that are cheaper one by one than by Stirling's series */
};

/* log G(x) for x >= FEW. */
static double log_gamma(double x)
{
	double y = 1 / (x * x);

	return (x - 0.5) * log(x) - x + 0.91893853320467274178 +
	       (1.0 / 12 - y * (1.0 / 360 - y / 1260)) / x;
}

/* log of a (a+1) … (a+k-1). */
static double log_rising(double a, uint64_t k)
{
	double product = 1, few = 0;
	uint64_t i;

	/* In pieces whose product no double is too small for. */
	for (i = 0; i < k && i < FEW; i++) {
		product *= a + (double)i;
		if (i % 8 == 7) {
			few += log(product);
			product = 1;
		}
	}
	few += log(product);
	return i == k ? few : few + log_gamma(a + (double)k) - log_gamma(a + (double)i);
}

/* n a - sum (a + k) b / (b + t): falls from n a to minus the number of changes. */
static double slope(const struct rate_count *c, size_t n, double a, double b)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (a + (double)c[i].changes) * b / (b + c[i].time);
	return (double)n * a - sum;
}

/* The root by the Illinois variant of regula falsi in log b, within [low, high]. */
static double best_time(const struct rate_count *c, size_t n, double a, double total_time)
{
	double low = -30, high = log(total_time) + 30 + log1p(a);
	double at_low = slope(c, n, a, exp(low)), at_high = slope(c, n, a, exp(high));
	double x = high;

	if (at_low <= 0)
		return exp(low);
	if (at_high >= 0)
		return exp(high);
	for (int i = 0; i < BISECTIONS && high - low > 1e-6; i++) {
		double at;

		x = i % 3 == 2 ? (low + high) / 2
			       : (low * at_high - high * at_low) / (at_high - at_low);
		at = slope(c, n, a, exp(x));
		if (at > 0) {
			low = x;
			at_low = at;
			at_high /= 2;
		} else if (at < 0) {
			high = x;
			at_high = at;
			at_low /= 2;
		} else {
			break;
		}
	}
	return exp(x);
}

static double likelihood(const struct rate_count *c, size_t n, struct rate_gamma g)
{
	double sum = (double)n * g.shape * log(g.time);

	for (size_t i = 0; i < n; i++)
		sum += log_rising(g.shape, c[i].changes) -
		       (g.shape + (double)c[i].changes) * log(g.time + c[i].time);
	return sum;
}

struct search {
	const struct rate_count *counts;
	size_t n;
	double total_time;
};

static struct rate_gamma at_shape(const struct search *s, double log_shape)
{
	double shape = exp(log_shape);

	return (struct rate_gamma){shape, best_time(s->counts, s->n, shape, s->total_time)};
}

static double value(const struct search *s, double log_shape)
{
	return likelihood(s->counts, s->n, at_shape(s, log_shape));
}

static struct rate_gamma golden(const struct search *s)
{
	static const double RATIO = 0.61803398874989484820;
	double low = log(SHAPE_MIN), high = log(SHAPE_MAX);
	double x = high - RATIO * (high - low), y = low + RATIO * (high - low);
	double at_x = value(s, x), at_y = value(s, y);

	for (int i = 0; i < GOLDEN_STEPS; i++) {
		if (at_x >= at_y) {
			high = y;
			y = x;
			at_y = at_x;
			x = high - RATIO * (high - low);
			at_x = value(s, x);
		} else {
			low = x;
			x = y;
			at_x = at_y;
			y = low + RATIO * (high - low);
			at_y = value(s, y);
		}
	}
	return at_shape(s, (low + high) / 2);
}

struct rate_gamma rate_gamma_fit(const struct rate_count *counts, size_t n)
{
	struct search s = {.counts = counts, .n = n};
	double changes = 0;

	for (size_t i = 0; i < n; i++) {
		changes += (double)counts[i].changes;
		s.total_time += counts[i].time;
	}
	if (changes == 0 || s.total_time <= 0)
		return (struct rate_gamma){0.5, fmax(s.total_time, 1)};
	return golden(&s);
}

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
