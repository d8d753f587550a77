/*
 * Numbers and texts as bytes, one behind the other, for forms that must be small. A number takes
 * groups of seven bits, the lowest first, each in a byte whose highest bit says that another
 * follows (LEB128). A signed number is stored as an unsigned one whose lowest bit is the sign: 0,
 * -1, 1, -2 are 0, 1, 2, 3. A text is the number of its bytes, and these.
 */
#ifndef BASE_PACK_H
#define BASE_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

/* All return 0 or as buf_add. */
int pack_number(struct buf *out, uint64_t value);
int pack_signed(struct buf *out, int64_t value);
int pack_text(struct buf *out, slice text);

/* The same of a text that may be none (ptr NULL): 0 for none, else its length + 1. */
int pack_optional(struct buf *out, slice text);

/* Eight bytes, the highest first. */
int pack_big(struct buf *out, int64_t value);

/* What is left to be read. What is not there, or too large, makes it bad, and reads as 0. */
struct unpack {
	slice left;
	bool bad;
};

slice unpack_bytes(struct unpack *u, uint64_t count);
unsigned unpack_byte(struct unpack *u);
uint64_t unpack_number(struct unpack *u);
int64_t unpack_signed(struct unpack *u);
slice unpack_text(struct unpack *u);
slice unpack_optional(struct unpack *u);
int64_t unpack_big(struct unpack *u);

/* A number up to max; else it is bad, and 0. */
uint64_t unpack_up_to(struct unpack *u, uint64_t max);

#endif
