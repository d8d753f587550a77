/*
 * Bytes by their offset, for tables that grow with a site and are seldom read. Any number of such
 * tables share a pool: SPILL_MEMORY bytes of memory, in blocks, and one file that has no name and
 * is gone with the process. A block is in memory from its first byte on; when the pool is full, the
 * oldest one goes to the file for good, where it is read and written piece by piece. So one small
 * table, or a hundred, never touch the file, and ten thousand take no more memory than one large
 * one. What was never written reads as zeros.
 */
#ifndef BASE_SPILL_H
#define BASE_SPILL_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/lists.h"

enum {
	SPILL_BLOCK = 4 << 10,
	SPILL_MEMORY = 8 << 20, /* of a pool */
	SPILL_FRAMES = SPILL_MEMORY / SPILL_BLOCK,
};

struct spill;

/* A block's place in memory. */
struct spill_frame {
	struct spill *owner; /* NULL: free */
	uint32_t block;      /* of that; of a free one: the next one's number plus one */
};

/* Fields are the pool's own. For one thread at a time. */
struct spill_pool {
	const char *dir; /* borrowed */
	char *memory;    /* NULL until it is needed; the system gives what is touched */
	struct spill_frame *frames;
	uint32_t frames_used; /* so far: the first ones */
	uint32_t free_frame;  /* of them, plus one; 0: none */
	uint32_t oldest;      /* whose turn it is when there is none */
	int fd;               /* -1 until there is a file */
	uint32_t slots;       /* blocks that the file has */
	struct u32_vec free;  /* of them */
};

/* Fields are the table's own, but for size, which may be read. It may not be moved. */
struct spill {
	struct spill_pool *pool;
	uint64_t size;         /* end of what was written */
	struct u32_vec blocks; /* where each is: spill.c knows how */
};

/* Empty; allocates and opens nothing. The directory need not be there before it is needed. */
void spill_pool_init(struct spill_pool *pool, const char *dir);

/* All its tables are released. Safe on a zeroed struct. */
void spill_pool_release(struct spill_pool *pool);

/* Empty; allocates nothing. The pool is borrowed. */
void spill_init(struct spill *s, struct spill_pool *pool);

/* Its places are free for others. Safe on a zeroed struct. */
void spill_release(struct spill *s);

/* Writes len bytes at an offset, over what is there: 0, ERR_NOMEM, or ERR_IO with a sentence. */
int spill_write(
	struct spill *s, uint64_t at, const void *bytes, size_t len, struct err *err) SP_MUST_CHECK;

/*
 * The first size bytes will be written: they get their places in memory now, as long as the pool
 * has any to spare. 0 or ERR_NOMEM.
 */
int spill_reserve(struct spill *s, uint64_t size, struct err *err) SP_MUST_CHECK;

/* Reads len bytes: 0 or ERR_IO. */
int spill_read(
	const struct spill *s, uint64_t at, void *out, size_t len, struct err *err) SP_MUST_CHECK;

#endif
