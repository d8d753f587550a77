/*
 * The gist of a document: its lines of text, each as a hash, with all masked that a machine would
 * fill in, so that two pages of a template without content of their own have the same gist:
 *
 *	digits		a date, a counter, a clock
 *	words of the URL	"No results for xyzzy" at /search?q=xyzzy
 *	case, blanks and punctuation
 *
 * What is left of a line is its weight, in bytes. The order of lines plays no part: the same list
 * sorted in another way is the same list.
 */
#ifndef FRONTIER_GIST_H
#define FRONTIER_GIST_H

#include <stdint.h>

#include "base/api.h"
#include "base/slice.h"
#include "base/vec.h"

enum {
	GIST_LINES_MAX = 4096, /* of a document; more are left out */
	GIST_WORDS_MAX = 64,   /* of a URL that are masked */
	GIST_WORD_MIN = 3,     /* letters that they have: "a" is a word of any text */
};

struct gist_line {
	uint64_t hash;
	uint32_t weight;
};

VEC_DECLARE(gist_lines, struct gist_line);

/* Zero-initialise; may be used again and again. */
struct gist {
	struct gist_lines lines;
	uint64_t weight; /* of all of them */
};

void gist_reset(struct gist *g);
void gist_release(struct gist *g);

/* Adds the lines of a text, of the document at that URL: 0 or ERR_NOMEM. */
int gist_add_text(struct gist *g, slice text, slice url) SP_MUST_CHECK;

/* Adds something that is no text, by a hash of it: the same. */
int gist_add_hash(struct gist *g, uint64_t hash, uint32_t weight) SP_MUST_CHECK;

#endif
