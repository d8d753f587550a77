#include "base/rng.h"

#include <assert.h>
#include <math.h>

static const double PI = 3.14159265358979323846;

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
