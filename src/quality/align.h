/*
 * Two lists set against each other: which elements of the one are those of the other, for showing
 * both side by side. Elements are numbers (hashes of what they stand for). Pure.
 *
 * What both begin and end with is matched first. Then, in large parts, elements that each list has
 * once are matched if they come in the same order ("patience"); in small parts the longest common
 * subsequence is. Time is O(n log n), besides ALIGN_CELLS_MAX steps for each small part.
 */
#ifndef QUALITY_ALIGN_H
#define QUALITY_ALIGN_H

#include <stdint.h>

#include "base/api.h"
#include "base/vec.h"

enum {
	ALIGN_CELLS_MAX = 1 << 20, /* product of the lengths of a small part */
	ALIGN_DEPTH_MAX = 64,      /* parts within parts; what is deeper counts as replaced */
};

#define ALIGN_NONE UINT32_MAX

struct align_item {
	uint64_t key;  /* equal keys: equal elements */
	uint32_t kind; /* of what differs, only the like is set against the like */
};

/* An element of each list; ALIGN_NONE where one has none. Equal ones have equal keys. */
struct align_row {
	uint32_t a, b;
};

VEC_DECLARE(align_items, struct align_item);
VEC_DECLARE(align_rows, struct align_row);

/* Appends the rows: every element once, each list in its order. 0 or ERR_NOMEM. */
int align(const struct align_items *a, const struct align_items *b,
	struct align_rows *out) SP_MUST_CHECK;

#endif
