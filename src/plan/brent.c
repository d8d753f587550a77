#include "plan/brent.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

enum { STEPS_MAX = 300 }; /* bisection alone needs fewer */

/* The names are Brent's: b is the best guess, a the one before, c on the other side of the root. */
struct bracket {
	double a, b, c;
	double at_a, at_b, at_c;
	double step, last_step;
};

static void keep_best_in_b(struct bracket *k)
{
	if (fabs(k->at_c) >= fabs(k->at_b))
		return;
	k->a = k->b;
	k->b = k->c;
	k->c = k->a;
	k->at_a = k->at_b;
	k->at_b = k->at_c;
	k->at_c = k->at_a;
}

/* Tries interpolation; false when bisection promises more. */
static bool interpolate(struct bracket *k, double half, double tolerance)
{
	double s = k->at_b / k->at_a, p, q;

	if (fabs(k->last_step) < tolerance || fabs(k->at_a) <= fabs(k->at_b))
		return false;
	if (k->a == k->c) {
		p = 2 * half * s;
		q = 1 - s;
	} else {
		double r = k->at_b / k->at_c, u = k->at_a / k->at_c;

		p = s * (2 * half * u * (u - r) - (k->b - k->a) * (r - 1));
		q = (u - 1) * (r - 1) * (s - 1);
	}
	if (p > 0)
		q = -q;
	p = fabs(p);
	if (!(2 * p < fmin(3 * half * q - fabs(tolerance * q), fabs(k->last_step * q))))
		return false;
	k->last_step = k->step;
	k->step = p / q;
	return true;
}

double rate_brent(rate_function *f, const void *context, double low, double high, double tolerance)
{
	struct bracket k = {.a = low, .b = high, .at_a = f(context, low), .at_b = f(context, high)};

	if (!(k.at_a > 0))
		return low;
	if (!(k.at_b < 0))
		return high;
	k.c = k.b;
	k.at_c = k.at_b;
	for (int i = 0; i < STEPS_MAX; i++) {
		double near, half;

		if ((k.at_b > 0) == (k.at_c > 0)) {
			k.c = k.a;
			k.at_c = k.at_a;
			k.step = k.last_step = k.b - k.a;
		}
		keep_best_in_b(&k);
		near = 2 * DBL_EPSILON * fabs(k.b) + tolerance / 2;
		half = (k.c - k.b) / 2;
		if (fabs(half) <= near || k.at_b == 0)
			break;
		if (!interpolate(&k, half, near))
			k.step = k.last_step = half;
		k.a = k.b;
		k.at_a = k.at_b;
		k.b += fabs(k.step) > near ? k.step : copysign(near, half);
		k.at_b = f(context, k.b);
	}
	return k.b;
}
