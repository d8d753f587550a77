/* Texts that are alike: words, fingerprints, clusters. */
#ifndef TEXT_SIMILAR_H
#define TEXT_SIMILAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/slice.h"

/* ---- words ---- */

/*
 * The words of a text, as hashes: runs of letters and digits, without case (of ASCII), punctuation
 * and blanks. Scripts that put no blanks between words (Han, Hiragana, Katakana) have a word for
 * each character. Any bytes are read; all beyond ASCII counts as letters.
 */

/* Takes the next word off the text; false when there is none. */
bool words_next(slice *text, uint64_t *ret_hash);

/* Mixes a number into a hash: for hashes of several words. */
static inline uint64_t words_mix(uint64_t hash, uint64_t more)
{
	hash = (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* Spreads a hash over all its bits (the finaliser of SplitMix64). */
static inline uint64_t words_spread(uint64_t hash)
{
	hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	hash = (hash ^ hash >> 27) * UINT64_C(0x94d049bb133111eb);
	return hash ^ hash >> 31;
}

/* ---- fingerprints ---- */

/*
 * The fingerprint of a text: SimHash and MinHash of its shingles, which are all runs of three words
 * (Broder et al., "Syntactic clustering of the web", 1997). A text of one or two words is one
 * shingle. Memory does not grow with the text.
 *
 *	fingerprinter_init(&f);
 *	fingerprinter_add(&f, line);	// any number of times; shingles go across lines
 *	fingerprinter_finish(&f, &print);
 */

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

/*
 * SimHash (Charikar 2002; Manku, Jain, Das Sarma, "Detecting near-duplicates for web crawling",
 * 2007): a fingerprint of 64 bits, of which similar texts share most. Each bit is what most
 * features of the text have there. Long texts within a Hamming distance of 3 are near-duplicates;
 * of a short one a single changed word moves more bits (docs/duplicates.md).
 */

enum { SIMHASH_BITS = 64, SIMHASH_NEAR = 3 };

/* Zero-initialise. Fields are its own. */
struct simhash {
	uint32_t ones[SIMHASH_BITS];
	uint32_t features;
};

/* Bits in which two differ. */
unsigned simhash_distance(uint64_t a, uint64_t b);

enum {
	FINGERPRINT_SHINGLE = 3,       /* words */
	FINGERPRINT_LONG_WORDS = 1000, /* from here on SimHash tells near-duplicates */
	FINGERPRINT_NEAR_PERCENT = 80, /* resemblance of pages that belong together */
};

struct fingerprint {
	struct minhash_sketch sketch;
	uint64_t simhash;
	uint32_t words; /* 0: nothing can be said of it */
};

/* Fields are its own. */
struct fingerprinter {
	struct minhash minhash;
	struct simhash simhash;
	uint64_t last[FINGERPRINT_SHINGLE]; /* words, the newest first */
	uint32_t words;
};

void fingerprinter_init(struct fingerprinter *f);
void fingerprinter_add(struct fingerprinter *f, slice text);
void fingerprinter_finish(struct fingerprinter *f, struct fingerprint *ret);

/* Whether SimHash may be asked. */
static inline bool fingerprint_is_long(const struct fingerprint *f)
{
	return f->words >= FINGERPRINT_LONG_WORDS;
}

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

/* ---- clusters ---- */

/*
 * Clusters of texts: the connected components over pairs whose estimated resemblance is at least
 * 0.8. Candidates are texts that share a band of their sketches and, of long texts, those within
 * three bits of their SimHash; then the sketches decide.
 *
 * Sketches may be many, so they stay with the caller, who reads one at a time. For each text this
 * takes some 40 bytes, and 42 more for a long one. The work grows with the texts, not with the
 * pairs: a text is compared with at most CLUSTERS_COMPARE others of a bucket, and with one of a
 * cluster that is large already. So of a large cluster the lowest resemblance is that of the links
 * that were looked at.
 */

enum {
	CLUSTERS_COMPARE = 32, /* texts of a bucket that a text is compared with */
	CLUSTERS_LARGE = 64,   /* texts of a cluster that is only joined, no longer compared */
};

/* Reads the fingerprint of a text: 0 or an error with its sentence. */
typedef int similar_clusters_read(
	void *context, uint32_t text, struct fingerprint *ret, struct err *err);

struct similar_cluster {
	uint32_t parent; /* a text of the same cluster, or itself */
	uint32_t size;   /* of a root */
	float lowest;    /* of a root: resemblance along its links */
};

VEC_DECLARE(similar_cluster_vec, struct similar_cluster);

/* Zero-initialise. Fields are its own. */
struct similar_clusters {
	struct similar_cluster_vec list; /* by text */
	uint64_t compared;               /* pairs */
};

void similar_clusters_release(struct similar_clusters *c);

/* Finds the clusters of texts 0 to count - 1. 0, ERR_NOMEM, ERR_LIMIT, or as read. */
int similar_clusters_find(struct similar_clusters *c, uint32_t count, similar_clusters_read *read,
	void *context, struct err *err) SP_MUST_CHECK;

/* The text that stands for its cluster. */
uint32_t similar_clusters_root(struct similar_clusters *c, uint32_t text);

/* 1 − the lowest resemblance along the links of a text's cluster; 0 for one text alone. */
double similar_clusters_distance(struct similar_clusters *c, uint32_t text);

#endif
