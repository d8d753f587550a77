/*
 * The fingerprint of a text: SimHash and MinHash of its shingles, which are all runs of three words
 * (Broder et al., "Syntactic clustering of the web", 1997). A text of one or two words is one
 * shingle. Memory does not grow with the text.
 *
 *	fingerprinter_init(&f);
 *	fingerprinter_add(&f, line);	// any number of times; shingles go across lines
 *	fingerprinter_finish(&f, &print);
 */
#ifndef SIMILAR_FINGERPRINT_H
#define SIMILAR_FINGERPRINT_H

#include "base/slice.h"
#include "similar/minhash.h"
#include "similar/simhash.h"

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

#endif
