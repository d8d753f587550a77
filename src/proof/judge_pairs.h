/*
 * Which two looks at a page are its visit and its revisit, and the still point that is chosen
 * afterwards: the instant that most proven intervals contain (proof/stillpoint.h).
 *
 * From two archives: the last usable look of the first, the first usable look of the second. If
 * all of the first ended before the second began, the still point lies between them, as in a
 * capture; else it is the best instant.
 *
 * From one archive: every two usable looks in a row that show the same prove an interval. The still
 * point is the best instant; of each page the usable looks on either side of it count, or, where
 * both are on one side, the two that are nearest to it.
 */
#ifndef PROOF_JUDGE_PAIRS_H
#define PROOF_JUDGE_PAIRS_H

#include "base/api.h"
#include "base/err.h"
#include "base/vec.h"
#include "proof/judge_looks.h"

#define JUDGE_NO_LOOK UINT32_MAX

/* Looks by their number. */
struct judge_pair {
	uint32_t page;
	uint32_t visit;   /* JUDGE_NO_LOOK: only the second archive has it */
	uint32_t revisit; /* JUDGE_NO_LOOK: there is none */
};

VEC_DECLARE(judge_pair_vec, struct judge_pair);

struct judge_pairs {
	struct judge_pair_vec list; /* by page; pages without a look are left out */
	int64_t from, to;           /* the still point; both 0 when nothing is proven */
};

struct judge_terms {
	bool two_archives;
};

/* 0 or ERR_NOMEM; to be released in any case. */
int judge_pairs_find(struct judge_pairs *p, const struct judge_looks *looks,
	const struct judge_terms *terms) SP_MUST_CHECK;
void judge_pairs_release(struct judge_pairs *p);

#endif
