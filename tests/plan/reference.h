/*
 * What the tests of measure check against: integration by the midpoint rule and simulated Poisson
 * histories, sharing no code with the library. Seeds are fixed, so a failure comes back.
 */
#ifndef TESTS_MEASURE_REFERENCE_H
#define TESTS_MEASURE_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t ref_u64(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Uniform on (0, 1). */
static inline double ref_uniform(uint64_t *state)
{
	return ((double)(ref_u64(state) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double ref_between(uint64_t *state, double low, double high)
{
	return low + (high - low) * ref_uniform(state);
}

/* Uniform on the integers low..high. */
static inline double ref_integer(uint64_t *state, int low, int high)
{
	return low + (double)(ref_u64(state) % (uint64_t)(high - low + 1));
}

/* Fills times with the events of a Poisson process on (from, to); returns how many. */
static inline size_t ref_poisson(
	uint64_t *state, double rate, double from, double to, double *times, size_t max)
{
	size_t len = 0;
	double t = from;

	while (len < max && (t -= log(ref_uniform(state)) / rate) < to)
		times[len++] = t;
	return len;
}

/*
 * Mean of f over [from, to] by the midpoint rule with `steps` cells: exact where f is linear or
 * constant within each cell.
 */
static inline double ref_mean(
	double (*f)(double x, const void *arg), const void *arg, double from, double to, int steps)
{
	double cell = (to - from) / steps, total = 0;

	for (int i = 0; i < steps; i++)
		total += f(from + (i + 0.5) * cell, arg);
	return total / steps;
}

/* Next permutation in lexicographic order; false after the last. */
static inline bool ref_permute(int *p, int n)
{
	int i = n - 2, j = n - 1, swap;

	while (i >= 0 && p[i] >= p[i + 1])
		i--;
	if (i < 0)
		return false;
	while (p[j] <= p[i])
		j--;
	swap = p[i], p[i] = p[j], p[j] = swap;
	for (int low = i + 1, high = n - 1; low < high; low++, high--)
		swap = p[low], p[low] = p[high], p[high] = swap;
	return true;
}

#endif
