/*
 * How good a ranking of pages is, of which some change soon: average precision, and HACS's weighted
 * P@K against the order in which pages really change (section III-C). P@K is the share that the
 * first K of both orders have in common; its weight is 1/log2(K + 1), K = 1 … all.
 */
#ifndef HISTORIES_RANKING_H
#define HISTORIES_RANKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/rng.h"

struct ranked {
	double score;  /* the higher, the earlier it is expected to change */
	double change; /* when it really does; infinite: never */
	bool due;      /* that is within the horizon */
};

struct ranking_value {
	double weighted_p_at_k;   /* 0 without pages */
	double average_precision; /* NAN where no page is due */
};

/*
 * Equal scores come in a random order, equal changes in another. Borrows the pages. 0 or ERR_NOMEM.
 */
int ranking_measure(const struct ranked *pages, size_t count, struct rng *randoms,
	struct ranking_value *ret) SP_MUST_CHECK;

/* What a random order may be expected to give. */
struct ranking_value ranking_random(size_t count, size_t due);

#endif
