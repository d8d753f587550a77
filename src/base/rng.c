#include "base/rng.h"

#include <assert.h>
#include <math.h>

static const double PI = 3.14159265358979323846;

/* Below this mean a Poisson number is counted off, above it is drawn by rejection. */
static const double INVERSION_MEAN = 30;
static const uint64_t INVERSION_MAX = 200; /* P(more) < 1e-90 at that mean */
static const double POISSON_MEAN_MAX = 1e15;

static uint64_t rotl(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

/* Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014. */
uint64_t rng_splitmix64(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void rng_init(struct rng *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		r->s[i] = rng_splitmix64(&seed);
}

void rng_split(struct rng *parent, struct rng *child)
{
	for (int i = 0; i < 4; i++) {
		uint64_t seed = rng_u64(parent);

		child->s[i] = rng_splitmix64(&seed);
	}
}

/* Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018. */
uint64_t rng_u64(struct rng *r)
{
	uint64_t *s = r->s;
	uint64_t result = rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

/*
 * Lemire, "Fast random integer generation in an interval", 2019: the high word of a product; the
 * low word tells the few products that would favour some results.
 */
uint64_t rng_below(struct rng *r, uint64_t n)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)rng_u64(r) * n;

	assert(n > 0);
	if ((uint64_t)product < n) {
		uint64_t unfair = (0 - n) % n;

		while ((uint64_t)product < unfair)
			product = (wide)rng_u64(r) * n;
	}
	return (uint64_t)(product >> 64);
}

double rng_double(struct rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

double rng_exponential(struct rng *r, double rate)
{
	assert(rate > 0);
	return -log1p(-rng_double(r)) / rate;
}

double rng_normal(struct rng *r)
{
	double radius = sqrt(-2 * log1p(-rng_double(r))); /* Box and Muller */

	return radius * cos(2 * PI * rng_double(r));
}

/* Counts off the distribution function until it passes a uniform number. */
static uint64_t poisson_inversion(struct rng *r, double mean)
{
	double none = exp(-mean);

	for (;;) {
		double u = rng_double(r), p = none;

		for (uint64_t k = 0; k < INVERSION_MAX; k++) {
			if (u < p)
				return k;
			u -= p;
			p *= mean / (double)(k + 1);
		}
		/* The sum fell short of u by its rounding errors: draw again. */
	}
}

/* log(mean^k e^-mean / k!) without the cancellation of its large terms. */
static double poisson_log_density(double k, double mean)
{
	int sign;

	if (k < 1000)
		return k * log(mean) - mean - lgamma_r(k + 1, &sign);
	/* Stirling; the next term is below 1e-18 here. */
	return k * log1p((mean - k) / k) + (k - mean) - 0.5 * log(2 * PI * k) - 1 / (12 * k) +
	       1 / (360 * k * k * k);
}

/*
 * Algorithm PTRS of Hörmann, "The transformed rejection method for generating Poisson random
 * variables", 1993; the constants are the paper's.
 */
static uint64_t poisson_rejection(struct rng *r, double mean)
{
	double b = 0.931 + 2.53 * sqrt(mean);
	double a = -0.059 + 0.02483 * b;
	double inv_alpha = 1.1239 + 1.1328 / (b - 3.4);
	double v_r = 0.9277 - 3.6224 / (b - 2);

	for (;;) {
		double u = rng_double(r) - 0.5;
		double v = 1 - rng_double(r);
		double us = 0.5 - fabs(u);
		double k;

		if (us <= 0)
			continue;
		k = floor((2 * a / us + b) * u + mean + 0.43);
		if (us >= 0.07 && v <= v_r)
			return (uint64_t)k;
		if (k < 0 || (us < 0.013 && v > us))
			continue;
		if (log(v * inv_alpha / (a / (us * us) + b)) <= poisson_log_density(k, mean))
			return (uint64_t)k;
	}
}

uint64_t rng_poisson(struct rng *r, double mean)
{
	assert(mean >= 0 && mean <= POISSON_MEAN_MAX);
	return mean < INVERSION_MEAN ? poisson_inversion(r, mean) : poisson_rejection(r, mean);
}

/* Fisher and Yates. */
void rng_shuffle(struct rng *r, uint32_t *ids, size_t count)
{
	for (size_t left = count; left > 1; left--) {
		size_t pick = (size_t)rng_below(r, left);
		uint32_t id = ids[pick];

		ids[pick] = ids[left - 1];
		ids[left - 1] = id;
	}
}
