/*
 * Known phrases in a line of text whose numbers, times and ids are no content: footers of programs,
 * ages, ids of requests. A masked line has a mark in place of each; two lines that are equal when
 * masked differ in these values alone, and each pair of values must then pass its test.
 */
#ifndef PROOF_MASK_H
#define PROOF_MASK_H

#include "base/buf.h"
#include "base/vec.h"
#include "extract/ignore.h"
#include "proof/noise_rules.h"
#include "proof/values.h"

enum mask_kind {
	MASK_NUMBER, /* how long, how many */
	MASK_TIME,
	MASK_ID,
	MASK_AGE,
	MASK_IGNORED, /* by a rule of the user */
};

struct mask_span {
	enum mask_kind kind;
	enum proof_rule_id rule;
	uint32_t ignored; /* of MASK_IGNORED: the rule */
	size_t from, to;  /* bytes of the line */
	double low, high; /* of MASK_AGE: seconds before the look */
};

VEC_DECLARE(mask_spans, struct mask_span);

struct masked {
	struct buf text;
	struct mask_spans spans;
};

enum { MASK_LINE_MAX = 16 << 10 };

void masked_init(struct masked *m);
void masked_release(struct masked *m);

/*
 * Masks a line; is_age: all of it may be an age without "ago" (a cell of a listing). ignoring
 * (NULL: none) are the user's rules. Rules that are off mask nothing. 0, ERR_LIMIT for a line that
 * is too long, or ERR_NOMEM.
 */
int mask_line(struct masked *m, slice line, bool is_age, proof_rule_set off,
	struct ignore_page *ignoring) SP_MUST_CHECK;

/* Whether two values of the same kind may stand for each other. */
bool mask_fits(const struct value_looks *looks, const struct mask_span *x, slice a,
	const struct mask_span *y, slice b);

#endif
