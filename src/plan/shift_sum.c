#include "plan/shift_sum.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "plan/survival.h"

static const double RANGE = 4; /* of m d */
/* More than h ever is: pages that hardly or never change need no larger window. */
static const double WINDOW_MAX = 1e15;
/* Terms smaller than the largest by e^-NOTHING are nothing; sums are made deeper by SPARE. */
static const double NOTHING = 30, SPARE = 8;
/* How far the whole sum may fall below what a class once was. */
static const double LOSS = 16;

double shift_term(double m, size_t x, size_t h)
{
	return decay(m * (double)(x - h - 1)) * -expm1(-m);
}

/*
 * Adds term t of a page with rate m, t (m window)^k for every k; a negative one takes it out. Even
 * and odd powers go side by side, since one would have to wait for the other.
 */
static void add_term(struct shift_class *c, double m, double t)
{
	double power = m * c->window, square = power * power, odd = t * power;

	for (int k = 0; k < SHIFT_TERMS; k += 2) {
		c->coefficient[k] += t;
		c->coefficient[k + 1] += odd;
		t *= square;
		odd *= square;
	}
}

static void sum_class(struct shift_class *c, const double *m, size_t h, double depth)
{
	size_t x = c->first;

	memset(c->coefficient, 0, sizeof c->coefficient);
	for (; x < c->end && c->coldest * (double)(x - h - 1) <= depth; x++)
		add_term(c, m[x], shift_term(m[x], x, h));
	c->summed = x;
	c->anchor = h;
	c->depth = depth;
	c->peak = c->coefficient[0];
}

void shift_sum_init(struct shift_sum *s, const double *m, size_t first, size_t n)
{
	*s = (struct shift_sum){.m = m};
	while (first < n) {
		struct shift_class *c = &s->classes[s->count++];
		double least = s->count == SHIFT_CLASSES ? -1 : m[first] / 2;

		*c = (struct shift_class){.first = first,
			.window = m[first] > RANGE / WINDOW_MAX ? floor(RANGE / m[first])
								: WINDOW_MAX};
		while (first < n && m[first] >= least)
			first++;
		c->end = first;
		c->coldest = m[first - 1];
		c->unit = -log(-expm1(-c->coldest));
	}
}

void shift_sum_pass(struct shift_sum *s, size_t first)
{
	for (size_t i = 0; i < s->count; i++) {
		struct shift_class *c = &s->classes[i];

		if (c->first >= first)
			return;
		for (; c->first < first && c->first < c->end; c->first++)
			if (c->first < c->summed)
				add_term(c, s->m[c->first],
					-shift_term(s->m[c->first], c->first, c->anchor));
	}
}

void shift_sum_give_up(struct shift_sum *s, size_t h)
{
	s->h = h;
}

/* A depth that the sum does reach: some term is at least e^-that. */
static double surface(const struct shift_sum *s)
{
	double least = INFINITY;

	for (size_t i = 0; i < s->count; i++) {
		const struct shift_class *c = &s->classes[i];

		if (c->first < c->end)
			least = fmin(
				least, s->m[c->first] * (double)(c->first - s->h - 1) + c->unit);
	}
	return least;
}

static bool counts(const struct shift_sum *s, const struct shift_class *c, double depth)
{
	return c->first < c->end && c->coldest * (double)(c->first - s->h - 1) <= depth;
}

/* Whether h or first have moved too far for the coefficients. */
static bool is_stale(const struct shift_sum *s, const struct shift_class *c, double depth)
{
	double d = (double)(s->h - c->anchor);

	return c->summed <= c->first || d > c->window ||
	       (c->summed < c->end && c->depth - c->coldest * d < depth);
}

static double evaluate(const struct shift_class *c, size_t h)
{
	double part = c->coefficient[SHIFT_TERMS - 1], d;

	if (h == c->anchor)
		return c->coefficient[0];
	d = (double)(h - c->anchor) / c->window;
	for (int k = SHIFT_TERMS - 1; k > 0; k--)
		part = part * (d / k) + c->coefficient[k - 1];
	return part;
}

/* The sum as it stands, every class that counts being within its window and deep enough. */
static double add_up(struct shift_sum *s, double depth)
{
	double sum = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct shift_class *c = &s->classes[i];

		if (!counts(s, c, depth))
			continue;
		if (is_stale(s, c, depth))
			sum_class(c, s->m, s->h, depth + SPARE);
		sum += evaluate(c, s->h);
	}
	return sum;
}

/* Sums a class anew that has lost too much; false when there is none. */
static bool restore(struct shift_sum *s, double depth, double sum)
{
	bool restored = false;

	for (size_t i = 0; i < s->count; i++) {
		struct shift_class *c = &s->classes[i];

		if (!counts(s, c, depth) || c->peak <= LOSS * sum)
			continue;
		sum_class(c, s->m, s->h, depth + SPARE);
		restored = true;
	}
	return restored;
}

double shift_sum_value(struct shift_sum *s)
{
	double depth = surface(s) + NOTHING, sum;

	do
		sum = add_up(s, depth);
	while (restore(s, depth, sum));
	return sum;
}
