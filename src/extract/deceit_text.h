/* What a text says of itself by its words alone: how much they repeat themselves. Pure. */
#ifndef EXTRACT_DECEIT_TEXT_H
#define EXTRACT_DECEIT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

enum { DECEIT_WORDS_MAX = 1024 }; /* that are counted */

struct deceit_text {
	uint32_t words;
	uint32_t distinct;
	uint32_t most;    /* of the most frequent word of four letters or more */
	uint32_t repeats; /* sequences of three words that were there before */
	double entropy;   /* 0 to 1 */
};

void deceit_text_read(slice text, struct deceit_text *ret);

/* How many times smaller zlib makes it; 0 without memory. */
double deceit_text_compression(slice text);

/* Sentences of a page whose domain is for sale, and of a server that has no site. */
bool deceit_text_is_parked(slice text, slice title);
bool deceit_text_is_error(slice text, slice title);

#endif
