#include "plan/shift_sum.h"

#include <math.h>
#include <string.h>

/* Terms below e^-NOTHING are left out, which also bounds how often a hot class is summed. */
static const double NOTHING = 150;
static const double RANGE = 0.5; /* of m d */
static const double WORN = 1e-4; /* when passing has left this share of a sum it is made anew */
/* More than h ever is: pages that hardly or never change need no larger window. */
static const double WINDOW_MAX = 1e15;

double shift_term(double m, size_t x, size_t h)
{
	double from = m * (double)(x - h - 1);

	return from < NOTHING ? exp(-from) * -expm1(-m) : 0;
}

/* Adds term t of a page with rate m, t (m window)^k / k! for every k; sign -1 takes it out. */
static void add_term(struct shift_class *c, double m, double t)
{
	for (int k = 0; k <= SHIFT_DEGREE; k++) {
		c->coefficient[k] += t;
		t *= m * c->window / (k + 1);
	}
}

static void sum_class(struct shift_class *c, const double *m, size_t h)
{
	double coldest = c->end > c->first ? m[c->end - 1] : 0;

	c->anchor = h;
	memset(c->coefficient, 0, sizeof c->coefficient);
	for (size_t x = c->first; x < c->end; x++) {
		if (coldest * (double)(x - h - 1) > NOTHING)
			break;
		add_term(c, m[x], shift_term(m[x], x, h));
	}
	c->summed = c->coefficient[0];
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
		sum_class(c, m, 0);
	}
}

void shift_sum_pass(struct shift_sum *s, size_t first)
{
	for (size_t i = 0; i < s->count; i++) {
		struct shift_class *c = &s->classes[i];

		if (c->first >= first)
			return;
		for (; c->first < first && c->first < c->end; c->first++)
			add_term(c, s->m[c->first],
				-shift_term(s->m[c->first], c->first, c->anchor));
		if (c->coefficient[0] <= WORN * c->summed) /* mostly rounding by now */
			sum_class(c, s->m, s->h);
	}
}

void shift_sum_give_up(struct shift_sum *s, size_t h)
{
	s->h = h;
}

double shift_sum_value(struct shift_sum *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct shift_class *c = &s->classes[i];
		double d, part;

		if (c->first == c->end)
			continue;
		if ((double)(s->h - c->anchor) > c->window)
			sum_class(c, s->m, s->h);
		d = c->window > 0 ? (double)(s->h - c->anchor) / c->window : 0;
		part = c->coefficient[SHIFT_DEGREE];
		for (int k = SHIFT_DEGREE; k-- > 0;)
			part = part * d + c->coefficient[k];
		sum += part;
	}
	return sum;
}
