/*
 * MinHash: the resemblance (Jaccard coefficient) of two sets, estimated from sketches of a fixed
 * size (Broder, "On the resemblance and containment of documents", 1997). One hash of an element
 * chooses a bin and a value, and a bin keeps its smallest value (one permutation hashing: Li, Owen,
 * Zhang 2012). Empty bins borrow from others (optimal densification: Shrivastava 2017). Each
 * element is thrown MINHASH_THROWS times, so that small sets fill their bins, too: the set of
 * pairs (element, throw) has the same Jaccard coefficient. Of a value the last byte is kept (b-bit
 * minwise hashing: Li, König 2010), which takes a 256th off what can be told.
 *
 * The standard error of an estimate R is √(R(1−R)/MINHASH_BINS): 0.025 at 0.8.
 */
#ifndef SIMILAR_MINHASH_H
#define SIMILAR_MINHASH_H

#include <stdbool.h>
#include <stdint.h>

enum {
	MINHASH_BINS = 256,
	MINHASH_THROWS = 8,
	MINHASH_BAND = 8, /* bins of a band */
	/* P(two sets share a band) is 0.997 at resemblance 0.8, 0.12 at 0.5. */
	MINHASH_BANDS = MINHASH_BINS / MINHASH_BAND,
};

struct minhash_sketch {
	uint8_t bins[MINHASH_BINS];
};

/* A set that is read. Fields are its own, but for empty. */
struct minhash {
	uint64_t least[MINHASH_BINS];
	bool empty; /* nothing was added */
};

void minhash_init(struct minhash *m);

/* Adds an element by its hash; one that is there already changes nothing. */
void minhash_add(struct minhash *m, uint64_t element);

/* The sketch of all that was added; of an empty set, all zeros. */
void minhash_finish(const struct minhash *m, struct minhash_sketch *ret);

/* Estimated resemblance of two sets that are not empty, from 0 to 1. */
double minhash_resemblance(const struct minhash_sketch *a, const struct minhash_sketch *b);

/* A band as a number: sets that resemble each other are likely to share one. */
uint64_t minhash_band(const struct minhash_sketch *s, unsigned band);

#endif
