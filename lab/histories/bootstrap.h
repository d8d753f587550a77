/*
 * How far a mean over draws may be off: a bootstrap of blocks.
 *
 * Crawls drawn from one history overlap when they are long, and then tell the same story twice. So
 * what is drawn again is not the single value but the block, the values whose crawls begin in the
 * same stretch of time; a stretch being as long as a crawl, values of different blocks (but for
 * neighbours) have nothing in common. The interval is that between the quantiles 2.5 % and 97.5 %
 * of the means.
 */
#ifndef HISTORIES_BOOTSTRAP_H
#define HISTORIES_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"

enum { BOOTSTRAP_ROUNDS = 2000 };

struct bootstrap_mean {
	double mean, low, high;
};

/*
 * values[i] belongs to blocks[i], blocks being numbered from 0 to block_count - 1 (some
 * may be empty). The same seed gives the same interval. All NAN when a value is. 0 or ERR_NOMEM.
 */
struct bootstrap {
	const uint32_t *blocks;
	size_t count;
	uint32_t block_count;
	uint64_t seed;
};

int bootstrap_mean(const struct bootstrap *b, const double *values,
	struct bootstrap_mean *ret_mean) SP_MUST_CHECK;

#endif
