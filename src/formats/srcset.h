/*
 * The srcset attribute: "parse a srcset attribute" of the HTML standard, section 4.8.4.3.10.
 */
#ifndef FORMATS_SRCSET_H
#define FORMATS_SRCSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* An image candidate: one that the standard would keep. */
struct srcset_candidate {
	slice url; /* part of the attribute */
	bool has_w, has_x, has_h;
	uint64_t w;
	double x;
	uint64_t h;
};

struct srcset {
	slice left; /* borrowed */
};

/* Starts with an attribute's value, borrowed as long as candidates are asked for. */
void srcset_init(struct srcset *s, slice value);

/* The next candidate, in order; false when there are no more. */
bool srcset_next(struct srcset *s, struct srcset_candidate *ret_candidate);

#endif
