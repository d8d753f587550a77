/*
 * SimHash (Charikar 2002; Manku, Jain, Das Sarma, "Detecting near-duplicates for web crawling",
 * 2007): a fingerprint of 64 bits, of which similar texts share most. Each bit is what most
 * features of the text have there. Long texts within a Hamming distance of 3 are near-duplicates;
 * of a short one a single changed word moves more bits (docs/duplicates.md).
 */
#ifndef SIMILAR_SIMHASH_H
#define SIMILAR_SIMHASH_H

#include <stdint.h>

enum { SIMHASH_BITS = 64, SIMHASH_NEAR = 3 };

/* Zero-initialise. Fields are its own. */
struct simhash {
	uint32_t ones[SIMHASH_BITS];
	uint32_t features;
};

/* Adds a feature by its hash. */
void simhash_add(struct simhash *s, uint64_t feature);

/* 0 for a text without features. */
uint64_t simhash_finish(const struct simhash *s);

/* Bits in which two differ. */
unsigned simhash_distance(uint64_t a, uint64_t b);

#endif
