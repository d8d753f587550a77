/*
 * Seedable random numbers: xoshiro256** (Blackman and Vigna, 2018), its state filled by
 * splitmix64. The same seed gives the same integers on every machine (what goes through libm may
 * differ in the last bit); not for secrets. A generator is passed in by whoever owns it and must
 * not be shared between threads: give each a split.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rng {
	uint64_t s[4];
};

/* Next output of splitmix64, advancing *state; good for deriving seeds from a counter. */
uint64_t rng_splitmix64(uint64_t *state);

/* Any seed is fine, 0 included. */
void rng_init(struct rng *r, uint64_t seed);

/*
 * Makes *child a stream of its own, seeded with 256 bits from the parent, which moves on by four
 * numbers. Children may split again; that two of them ever meet is as likely as guessing a key.
 */
void rng_split(struct rng *parent, struct rng *child);

/* Uniform on all 64 bits. */
uint64_t rng_u64(struct rng *r);

/* Uniform on [0, n) without bias; n > 0. */
uint64_t rng_below(struct rng *r, uint64_t n);

/* Uniform on [0, 1), a multiple of 2^-53. */
double rng_double(struct rng *r);

/* Time to the next event of a Poisson process; rate > 0. */
double rng_exponential(struct rng *r, double rate);

/* Normal with mean 0 and variance 1. */
double rng_normal(struct rng *r);

/*
 * Puts an array of items of so many bytes each, at most 8, into a uniformly random order (Fisher
 * and Yates).
 */
static inline void rng_shuffle(struct rng *r, void *items, size_t count, size_t size)
{
	for (size_t left = count; left > 1; left--) {
		char *taken = (char *)items + (size_t)rng_below(r, left) * size;
		char *last = (char *)items + (left - 1) * size, item[8];

		memcpy(item, taken, size);
		memmove(taken, last, size); /* they may be the same */
		memcpy(last, item, size);
	}
}

#endif
