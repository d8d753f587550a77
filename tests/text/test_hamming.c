/* Look-ups against brute force, in data that is full of near ones. */
#include <stdlib.h>

#include "base/rng.h"
#include "tap.h"
#include "text/similar.h"

enum { COUNT = 4000, FOUND_MAX = COUNT };

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static size_t brute_force(const uint64_t *prints, size_t count, uint64_t wanted, uint32_t *out)
{
	size_t found = 0;

	for (uint32_t i = 0; i < count; i++)
		if (simhash_distance(prints[i], wanted) <= SIMHASH_NEAR)
			out[found++] = i;
	return found;
}

static uint64_t flipped(struct rng *rng, uint64_t print, unsigned bits)
{
	for (unsigned i = 0; i < bits; i++)
		print ^= UINT64_C(1) << (rng_u64(rng) % 64);
	return print;
}

/* spread: bits in which fingerprints differ from one of a few centres. */
static void compare(struct rng *rng, unsigned centres, unsigned spread)
{
	static uint64_t prints[COUNT];
	static uint32_t want[FOUND_MAX], got[FOUND_MAX];
	uint64_t centre[64];
	struct hamming h = {0};

	for (unsigned i = 0; i < centres; i++)
		centre[i] = rng_u64(rng);
	for (uint32_t i = 0; i < COUNT; i++) {
		prints[i] =
			flipped(rng, centre[i % centres], (unsigned)(rng_u64(rng) % (spread + 1)));
		if (!CHECK_INT(hamming_add(&h, prints[i], i), 0))
			break;
	}
	for (size_t i = 0; i < tap_rounds(400); i++) {
		uint64_t wanted = flipped(rng, prints[rng_u64(rng) % COUNT], (unsigned)(i % 5));
		size_t n = brute_force(prints, COUNT, wanted, want);
		size_t m = hamming_find(&h, wanted, got, FOUND_MAX);

		if (!CHECK_INT((int64_t)m, (int64_t)n))
			break;
		qsort(got, m, sizeof *got, by_number);
		for (size_t k = 0; k < n; k++)
			if (!CHECK_INT(got[k], want[k]))
				break;
	}
	CHECK_INT((int64_t)h.len, COUNT);
	hamming_release(&h);
}

static void test_brute_force(void)
{
	static const struct {
		unsigned centres, spread;
	} rows[] = {{1, 0}, {1, 4}, {8, 8}, {64, 3}, {64, 30}};
	struct rng rng;

	rng_init(&rng, 7);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("%u centres, up to %u bits away", rows[i].centres, rows[i].spread);
		compare(&rng, rows[i].centres, rows[i].spread);
	}
}

static void test_limits(void)
{
	struct hamming h = {0};
	uint32_t out[4];

	CHECK_INT((int64_t)hamming_find(&h, 0, out, ARRAY_LEN(out)), 0);
	for (uint32_t i = 0; i < 100; i++)
		CHECK_INT(hamming_add(&h, 5, i), 0);
	CHECK_INT((int64_t)hamming_find(&h, 5, out, ARRAY_LEN(out)), ARRAY_LEN(out));
	CHECK_INT((int64_t)hamming_find(&h, 5, out, 0), 0);
	CHECK_INT((int64_t)hamming_find(&h, UINT64_MAX, out, ARRAY_LEN(out)), 0);
	hamming_release(&h);
	hamming_release(&h);
}

/* The promise of docs/duplicates.md: 48 bytes, once the tables are filled. */
static void test_memory(void)
{
	struct hamming h = {0};
	struct rng rng;
	uint32_t count = (uint32_t)tap_rounds(1000000);

	rng_init(&rng, 3);
	for (uint32_t i = 0; i < count; i++) {
		/* As dense as 10^8: blocks of 16 bits of which these have 64 values. */
		uint64_t print = rng_u64(&rng) & UINT64_C(0x003f003f003f003f);

		if (!CHECK_INT(hamming_add(&h, print, i), 0))
			break;
	}
	if (!TAP_SANITIZED && !CHECK(hamming_memory(&h) < (size_t)48 * count))
		tap_note("%f bytes", (double)hamming_memory(&h) / count);
	hamming_release(&h);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_brute_force();
	TAP_RUN(test_limits);
	TAP_RUN(test_memory);
	return tap_done();
}
