/* Estimates against the exact Jaccard coefficient; SimHash of texts with known edits. */
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "tap.h"
#include "text/similar.h"

/* Sketches of two sets of so many elements with so many in common. */
static double estimate(struct rng *rng, size_t size_a, size_t size_b, size_t common)
{
	struct minhash_sketch sa, sb;
	struct minhash a, b;

	minhash_init(&a);
	minhash_init(&b);
	for (size_t i = 0; i < common; i++) {
		uint64_t element = rng_u64(rng);

		minhash_add(&a, element);
		minhash_add(&b, element);
		minhash_add(&b, element); /* a set: twice changes nothing */
	}
	for (size_t i = common; i < size_a; i++)
		minhash_add(&a, rng_u64(rng));
	for (size_t i = common; i < size_b; i++)
		minhash_add(&b, rng_u64(rng));
	minhash_finish(&a, &sa);
	minhash_finish(&b, &sb);
	return minhash_resemblance(&sa, &sb);
}

/*
 * The mean over many pairs is the exact value, and the spread is what theory says. Small sets
 * spread more: their bins share elements.
 */
static void test_estimates(void)
{
	static const struct {
		size_t a, b, common;
		double spread; /* times the theoretical one */
	} rows[] = {
		{1, 1, 1, 1},
		{1, 1, 0, 4},
		{10, 10, 8, 4},
		{10, 100, 10, 2},
		{50, 50, 45, 2},
		{100, 100, 50, 1.6},
		{300, 300, 280, 1.4},
		{1000, 1000, 900, 1.3},
		{1000, 1000, 0, 1.5},
		{5000, 4000, 4000, 1.3},
	};
	struct rng rng;

	rng_init(&rng, 1);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t rounds = rows[i].a > 500 ? 40 : 200;
		double exact =
			(double)rows[i].common / (double)(rows[i].a + rows[i].b - rows[i].common);
		double sigma = sqrt(exact * (1 - exact) / MINHASH_BINS) + 1.0 / 256;
		double sum = 0, squares = 0, mean;

		tap_case("estimate of %zu in common of %zu and %zu", rows[i].common, rows[i].a,
			rows[i].b);
		for (size_t n = 0; n < rounds; n++) {
			double got = estimate(&rng, rows[i].a, rows[i].b, rows[i].common);

			sum += got;
			squares += (got - exact) * (got - exact);
		}
		mean = sum / (double)rounds;
		CHECK_NEAR(
			mean, exact, 4 * rows[i].spread * sigma / sqrt((double)rounds) + 1.0 / 256);
		if (!CHECK(sqrt(squares / (double)rounds) <= 1.2 * rows[i].spread * sigma))
			tap_note("spread %f, in theory %f", sqrt(squares / (double)rounds), sigma);
	}
}

static void print_of(const char *text, struct fingerprint *ret)
{
	struct fingerprinter f;

	fingerprinter_init(&f);
	fingerprinter_add(&f, slice_str(text));
	fingerprinter_finish(&f, ret);
}

static void test_short_texts(void)
{
	static const struct {
		const char *label, *a, *b;
		double least, most;
	} rows[] = {
		{"one word, the same", "hello", "Hello!", 1, 1},
		{"one word, another", "hello", "goodbye", 0, 0.05},
		{"two words in another order", "hello you", "you hello", 0, 0.05},
		{"the same", "a b c d e f", "A, b. c d (e) f", 1, 1},
		{"repeated", "a a a a a a a a", "a a a", 1, 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fingerprint a, b;
		double r;

		tap_case("short texts: %s", rows[i].label);
		print_of(rows[i].a, &a);
		print_of(rows[i].b, &b);
		r = minhash_resemblance(&a.sketch, &b.sketch);
		CHECK(r >= rows[i].least && r <= rows[i].most);
	}
}

static void test_empty(void)
{
	struct fingerprint p;

	print_of("", &p);
	CHECK_INT(p.words, 0);
	CHECK_INT((int64_t)p.simhash, 0);
	print_of(" ... ", &p);
	CHECK_INT(p.words, 0);
}

/* A long text and the same with some words replaced. */
static unsigned edited_distance(struct rng *rng, size_t words, size_t edits)
{
	struct fingerprinter a, b;
	struct fingerprint pa, pb;
	char word[24];

	fingerprinter_init(&a);
	fingerprinter_init(&b);
	for (size_t i = 0; i < words; i++) {
		(void)snprintf(word, sizeof word, "w%u ", (unsigned)(rng_u64(rng) % 5000));
		fingerprinter_add(&a, slice_str(word));
		if (edits && i % (words / edits) == 7)
			(void)snprintf(word, sizeof word, "x%zu ", i);
		fingerprinter_add(&b, slice_str(word));
	}
	fingerprinter_finish(&a, &pa);
	fingerprinter_finish(&b, &pb);
	return simhash_distance(pa.simhash, pb.simhash);
}

/* Why SimHash is for long texts: one word of 5,000 moves few bits, one of 30 many. */
static void test_simhash(void)
{
	unsigned far = 0, near = 0;
	struct rng rng;

	rng_init(&rng, 2);
	CHECK_INT(edited_distance(&rng, 2000, 0), 0);
	for (size_t i = 0; i < 40; i++) {
		near += edited_distance(&rng, 5000, 1) <= SIMHASH_NEAR;
		far += edited_distance(&rng, 30, 1) > SIMHASH_NEAR;
	}
	CHECK(near >= 38);
	CHECK(far >= 30);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_estimates();
	test_short_texts();
	TAP_RUN(test_empty);
	TAP_RUN(test_simhash);
	return tap_done();
}
