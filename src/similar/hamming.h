/*
 * Fingerprints by Hamming distance: which of up to 2^32 fingerprints differ from a given one in at
 * most three bits (Manku, Jain, Das Sarma 2007, section 3). A fingerprint has four blocks of 16
 * bits. Three bits spoil at most three of them, so the fourth is the same: there are four tables,
 * one by each block, and a look-up reads the entries that share that block.
 *
 * An entry is the other 48 bits and a number, 10 bytes in four tables: some 43 bytes for a
 * fingerprint in all. A look-up reads 4·n/65,536 entries on average: 6,100 of 10^8. Foreign
 * fingerprints may all share a block: no more than HAMMING_SCAN_MAX entries of a table are read,
 * the newest ones.
 */
#ifndef SIMILAR_HAMMING_H
#define SIMILAR_HAMMING_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"

enum {
	HAMMING_TABLES = 4,
	HAMMING_BLOCK_BITS = 16,
	HAMMING_BUCKETS = 1 << HAMMING_BLOCK_BITS,
	HAMMING_SCAN_MAX = 64 << 10, /* entries that a look-up reads of a table */
};

/* Entries of a table with the same block: three arrays in one piece of memory. */
struct hamming_bucket {
	uint32_t *low; /* the lowest 32 bits; behind them the numbers, then the 16 bits above */
	uint32_t used, room;
};

/* Fields are its own. Zero-initialise. */
struct hamming {
	struct hamming_bucket *buckets; /* by table and block; NULL until needed */
	size_t len;                     /* fingerprints */
	size_t bytes;                   /* of the buckets' memory */
};

void hamming_release(struct hamming *h);

/* Adds a fingerprint with a number of the caller's: 0, ERR_NOMEM, ERR_LIMIT. */
int hamming_add(struct hamming *h, uint64_t fingerprint, uint32_t number) SP_MUST_CHECK;

/* Numbers of those within SIMHASH_NEAR bits, each once, at most max; returns how many. */
size_t hamming_find(const struct hamming *h, uint64_t fingerprint, uint32_t *out, size_t max);

/* Bytes that it takes. */
size_t hamming_memory(const struct hamming *h);

#endif
