/*
 * A sorted collection of pages that gives and takes by rank: what online strategies keep of the
 * pages found but not visited. Kept as a list of short sorted blocks, so insertion and removal
 * move a few hundred entries at most and walk over n / RANKING_BLOCK counts; up to a million pages
 * that beats a balanced tree, in memory (16 bytes a page where keys come in order, some 20 where
 * they do not) as in time. Blocks are cut from large pieces of memory, which go back to the system
 * as a whole: the barrier needs the room. The first block grows as it is filled, since there may be
 * thousands of small sites.
 */
#ifndef PLAN_RANKING_H
#define PLAN_RANKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ranked_page {
	double key; /* never NaN; larger keys come first */
	uint32_t seq;
	uint32_t page;
};

struct ranking_block;
struct ranking_slab;

/* Zeroed is empty. */
struct ranking {
	struct ranking_block **blocks;
	size_t count, cap;
	size_t len;
	uint32_t seq;
	struct ranking_slab *slabs;  /* the last one first */
	struct ranking_block *spare; /* blocks that are empty */
	size_t made;                 /* blocks in all slabs */
	struct ranked_page *first;   /* entries of the first block */
	size_t first_cap;
};

void ranking_release(struct ranking *r);

/* Equal keys keep the order of their insertion. 0 or ERR_NOMEM. */
int ranking_insert(struct ranking *r, double key, uint32_t page);

/* The entry at rank (0 has the largest key); rank < len. */
struct ranked_page ranking_at(const struct ranking *r, size_t rank);

/*
 * The first rank whose entry is wanted, asked in the order of ranks; len when there is none.
 * Cheaper than asking rank by rank.
 */
typedef bool ranking_wanted(const struct ranked_page *entry, void *context);
size_t ranking_find(const struct ranking *r, ranking_wanted *wanted, void *context);

/* The entry at rank, and removes it. */
struct ranked_page ranking_take(struct ranking *r, size_t rank);

/* Removes page, wherever it is; false when it is not there. O(len). */
bool ranking_remove(struct ranking *r, uint32_t page);

#endif
