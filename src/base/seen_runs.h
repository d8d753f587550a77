/*
 * Digests of URLs on disk, for sets that are larger than their memory (base/seen.h). A run is a
 * file of digests in ascending order. New ones come as a sorted batch, which is merged with the
 * runs that are not much larger than it into one new run: so there are few runs, and each digest is
 * written a few times in all. Everything is written and merged from front to back (survey "Web
 * Crawling", section 2.3.2: Mercator, DRUM). The files have no name and are gone with the process.
 *
 * Memory: for each run a filter that tells most digests that are not in it (Bloom, in blocks of a
 * cache line), a byte for each digest or less, so that all filters together stay below a maximum;
 * and the first digest of each block of the file, 0.03 bytes for each.
 *
 * Digests are ordered by their first half alone. Where it is equal, which happens once in 10^19
 * pairs, they may be in any order.
 */
#ifndef BASE_SEEN_RUNS_H
#define BASE_SEEN_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/vec.h"

/* A URL's digest and its number. */
struct seen_entry {
	uint64_t high, low;
	uint32_t number;
};

/* A question: a digest, and the answer. */
struct seen_question {
	struct seen_entry entry; /* its number is set if it is found */
	bool is_found;
};

VEC_DECLARE(seen_questions, struct seen_question);
VEC_DECLARE(seen_index, uint64_t);

struct seen_run {
	int fd;
	uint64_t count;
	struct seen_index index; /* the first half of the first digest of each block */
	uint64_t *filter;        /* NULL: none */
	size_t filter_blocks;
};

VEC_DECLARE(seen_run_vec, struct seen_run);

/* Fields may be read. */
struct seen_runs {
	const char *dir;          /* borrowed */
	size_t filter_max;        /* bytes of all filters */
	struct seen_run_vec list; /* the oldest and largest first */
	uint64_t count;           /* of all digests */
	uint64_t reads;           /* of a file, so far */
};

/* Empty; allocates and opens nothing. */
void seen_runs_init(struct seen_runs *r, const char *dir, size_t filter_max);

/* Safe on a zeroed struct. */
void seen_runs_release(struct seen_runs *r);

/* Of its files. */
uint64_t seen_runs_disk_bytes(const struct seen_runs *r);

/* The next of a sorted batch; false at its end. */
typedef bool seen_source(void *context, struct seen_entry *ret);

/*
 * Adds a batch of count digests, none of which is there: 0, or ERR_IO, ERR_NOMEM with a sentence,
 * and all is as before.
 */
int seen_runs_add(struct seen_runs *r, seen_source *next, void *context, uint64_t count,
	struct err *err) SP_MUST_CHECK;

/* False: the digest is not there, certainly. Reads no file. */
bool seen_runs_may_have(const struct seen_runs *r, const struct seen_entry *e);

/* Answers one question by a read of a block or a few; 0 or ERR_IO. */
int seen_runs_find(
	struct seen_runs *r, struct seen_question *question, struct err *err) SP_MUST_CHECK;

/*
 * Answers many, which it sorts. Only the blocks that questions fall into are read, in their order:
 * where there is one for every block, that is one pass from front to back.
 */
int seen_runs_find_all(
	struct seen_runs *r, struct seen_questions *questions, struct err *err) SP_MUST_CHECK;

#endif
