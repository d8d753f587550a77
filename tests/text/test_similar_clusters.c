/* Clusters against brute force over all pairs, and many texts that are alike. */
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "tap.h"
#include "text/similar.h"

static int read_print(void *context, uint32_t text, struct fingerprint *ret, struct err *err)
{
	const struct fingerprint *prints = context;

	(void)err;
	*ret = prints[text];
	return 0;
}

/* A text from a family: its words, of which so many in a thousand are replaced. */
static void make(struct fingerprint *ret, uint64_t family, size_t words, struct rng *rng,
	unsigned per_thousand)
{
	struct fingerprinter f;
	struct rng own;
	char word[32];

	rng_init(&own, family);
	fingerprinter_init(&f);
	for (size_t i = 0; i < words; i++) {
		unsigned number = (unsigned)(rng_u64(&own) % 100000);

		if (rng_u64(rng) % 1000 < per_thousand)
			number = (unsigned)(rng_u64(rng) % 1000000000);
		(void)snprintf(word, sizeof word, "%u ", number);
		fingerprinter_add(&f, slice_str(word));
	}
	fingerprinter_finish(&f, ret);
}

/* Components over all pairs, by repeated passes. */
static void brute_force(const struct fingerprint *prints, size_t count, uint32_t *root)
{
	bool moved = true;

	for (uint32_t i = 0; i < count; i++)
		root[i] = i;
	while (moved) {
		moved = false;
		for (size_t a = 0; a < count; a++)
			for (size_t b = 0; b < a; b++) {
				uint32_t low = root[a] < root[b] ? root[a] : root[b];

				if (root[a] == root[b] || minhash_resemblance(&prints[a].sketch,
								  &prints[b].sketch) < 0.8)
					continue;
				root[a] = root[b] = low;
				moved = true;
			}
	}
}

/* Pairs that both call alike, and those that only brute force does. */
static void test_brute_force(void)
{
	enum { COUNT = 300 };
	static struct fingerprint prints[COUNT];
	static uint32_t root[COUNT];
	size_t both = 0, missed = 0, extra = 0;
	struct similar_clusters c = {0};
	struct err err = {0};
	struct rng rng;

	rng_init(&rng, 11);
	for (size_t i = 0; i < COUNT; i++)
		make(&prints[i], i / 4 + 1, i % 3 ? 200 : 1500, &rng, (unsigned)(i % 7) * 5);
	brute_force(prints, COUNT, root);
	if (!CHECK_INT(similar_clusters_find(&c, COUNT, read_print, prints, &err), 0))
		return;
	for (uint32_t a = 0; a < COUNT; a++)
		for (uint32_t b = 0; b < a; b++) {
			bool got = similar_clusters_root(&c, a) == similar_clusters_root(&c, b);

			both += got && root[a] == root[b];
			missed += !got && root[a] == root[b];
			extra += got && root[a] != root[b];
		}
	tap_note("%zu pairs, %zu missed, %zu too many", both, missed, extra);
	CHECK(both > 100);
	CHECK_INT((int64_t)extra, 0);
	CHECK(missed * 100 <= both); /* bands miss 0.3 % at the threshold */
	similar_clusters_release(&c);
}

/* The distance is that of the weakest link. */
static void test_distance(void)
{
	static struct fingerprint prints[3];
	struct similar_clusters c = {0};
	struct err err = {0};
	struct rng rng;
	double weakest = 1;

	rng_init(&rng, 12);
	make(&prints[0], 1, 400, &rng, 0);
	make(&prints[1], 1, 400, &rng, 30);
	make(&prints[2], 2, 400, &rng, 0);
	CHECK_INT(similar_clusters_find(&c, 3, read_print, prints, &err), 0);
	weakest = minhash_resemblance(&prints[0].sketch, &prints[1].sketch);
	CHECK(weakest >= 0.8 && weakest < 1);
	CHECK(similar_clusters_root(&c, 0) == similar_clusters_root(&c, 1));
	CHECK(similar_clusters_root(&c, 0) != similar_clusters_root(&c, 2));
	CHECK_NEAR(similar_clusters_distance(&c, 1), 1 - weakest, 1e-6);
	CHECK_NEAR(similar_clusters_distance(&c, 2), 0, 0);
	similar_clusters_release(&c);
}

/* The work grows with the texts, not with their pairs; texts without words stay alone. */
static void test_many(void)
{
	uint32_t count = (uint32_t)tap_rounds(20000);
	struct fingerprint *prints = calloc(count, sizeof *prints);
	struct similar_clusters c = {0};
	struct err err = {0};
	struct rng rng;

	if (!CHECK(prints != NULL))
		return;
	rng_init(&rng, 13);
	for (uint32_t i = 0; i + 2 < count; i++)
		make(&prints[i], 1, 60, &rng, 5);
	CHECK_INT(similar_clusters_find(&c, count, read_print, prints, &err), 0);
	CHECK(c.list.ptr[similar_clusters_root(&c, 0)].size > count * 9 / 10);
	CHECK(c.compared < (uint64_t)count * 200);
	CHECK(similar_clusters_root(&c, count - 1) != similar_clusters_root(&c, count - 2));
	similar_clusters_release(&c);
	free(prints);
}

static void test_none(void)
{
	struct similar_clusters c = {0};
	struct err err = {0};

	CHECK_INT(similar_clusters_find(&c, 0, read_print, NULL, &err), 0);
	similar_clusters_release(&c);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_brute_force);
	TAP_RUN(test_distance);
	TAP_RUN(test_many);
	TAP_RUN(test_none);
	return tap_done();
}
