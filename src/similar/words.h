/*
 * The words of a text, as hashes: runs of letters and digits, without case (of ASCII), punctuation
 * and blanks. Scripts that put no blanks between words (Han, Hiragana, Katakana) have a word for
 * each character. Any bytes are read; all beyond ASCII counts as letters.
 */
#ifndef SIMILAR_WORDS_H
#define SIMILAR_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

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

#endif
