/*
 * bench_similar [FINGERPRINTS]: what a look-up among fingerprints costs, in processor time and
 * memory, at the density of 10^6 to 10^8 of them; and a fingerprint of a text (docs/duplicates.md).
 *
 * A look-up reads the entries that share one of four blocks of 16 bits. Fingerprints whose blocks
 * take only a part of their values are as dense as that many times more: 6 million with blocks of
 * 12 bits stand for 10^8, in 260 MB instead of 4 GB. With a number as argument, so many are really
 * added.
 */
#include "base/parse.h"
#include "base/rng.h"
#include "bench.h"
#include "text/similar.h"

enum { LOOKUPS = 20000, FOUND = 16, TEXT_WORDS = 100000 };

/* A random fingerprint with blocks of so many bits. */
static uint64_t draw(struct rng *rng, unsigned bits)
{
	uint64_t mask = (UINT64_C(1) << bits) - 1;

	return rng_u64(rng) & (mask | mask << 16 | mask << 32 | mask << 48);
}

static void run(uint64_t stands_for, uint64_t count, unsigned bits)
{
	struct hamming h = {0};
	uint32_t out[FOUND];
	size_t found = 0;
	double start, added, looked;
	struct rng rng;

	rng_init(&rng, 1);
	start = processor_time();
	for (uint64_t i = 0; i < count; i++)
		if (hamming_add(&h, draw(&rng, bits), (uint32_t)i)) {
			(void)fprintf(stderr, "bench_similar: no memory\n");
			exit(1);
		}
	added = processor_time();
	for (unsigned i = 0; i < LOOKUPS; i++)
		found += hamming_find(&h, draw(&rng, bits), out, FOUND);
	looked = processor_time();
	printf("as dense as %10llu: %9llu added, %5.2f us each, %4.1f bytes each; look-up %6.2f us "
	       "(%zu found)\n",
		(unsigned long long)stands_for, (unsigned long long)count,
		(added - start) * 1e6 / (double)count, (double)hamming_memory(&h) / (double)count,
		(looked - added) * 1e6 / LOOKUPS, found);
	hamming_release(&h);
}

static void run_text(void)
{
	struct fingerprinter f;
	struct fingerprint print;
	struct rng rng;
	char word[24];
	struct buf text;
	double start;
	int rc = 0;

	rng_init(&rng, 2);
	buf_init(&text, 16 << 20);
	for (unsigned i = 0; rc == 0 && i < TEXT_WORDS; i++) {
		(void)snprintf(word, sizeof word, "w%x ", (unsigned)(rng_u64(&rng) % 50000));
		rc = buf_add_str(&text, word);
	}
	start = processor_time();
	fingerprinter_init(&f);
	fingerprinter_add(&f, buf_slice(&text));
	fingerprinter_finish(&f, &print);
	printf("fingerprint: %.0f ns a word (%zu bytes of sketch, 8 of SimHash)\n",
		(processor_time() - start) * 1e9 / (double)print.words, sizeof print.sketch);
	buf_release(&text);
}

int main(int argc, char **argv)
{
	uint64_t count = 0;

	if (argc > 1 && parse_u64(slice_str(argv[1]), &count)) {
		(void)fprintf(stderr, "usage: bench_similar [FINGERPRINTS]\n");
		return 2;
	}
	if (count) {
		run(count, count, 16);
		return 0;
	}
	run_text();
	run(1000000, 1000000, 16);
	run(10000000, 2500000, 14);
	run(40000000, 2500000, 12);
	run(100000000, 6250000, 12);
	return 0;
}
