/*
 * Bytes by their offset, for tables that grow with a site and are seldom read: the first
 * SPILL_MEMORY of them stay in memory, the others go to a file that has no name and is gone with
 * the process. What was never written reads as zeros.
 */
#ifndef BASE_SPILL_H
#define BASE_SPILL_H

#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"

enum { SPILL_MEMORY = 4 << 20 };

/* Fields are the spill's own, but for size, which may be read. */
struct spill {
	const char *dir; /* borrowed */
	uint64_t size;   /* end of what was written */
	char *memory;
	size_t memory_cap;
	int fd;           /* -1 until there is a file; it begins at offset 0 all the same */
	uint64_t written; /* end of what is in the file; behind it comes the tail */
	char *tail;       /* appended, and not yet in the file */
	size_t tail_len;
};

/* Empty; allocates and opens nothing. The directory need not be there before it is needed. */
void spill_init(struct spill *s, const char *dir);
void spill_release(struct spill *s);

/* Writes len bytes at an offset, over what is there: 0, ERR_NOMEM, or ERR_IO with a sentence. */
int spill_write(
	struct spill *s, uint64_t at, const void *bytes, size_t len, struct err *err) SP_MUST_CHECK;

/* Of the first size bytes those that stay in memory have their place from now on. 0, ERR_NOMEM. */
int spill_reserve(struct spill *s, uint64_t size, struct err *err) SP_MUST_CHECK;

/* Reads len bytes: 0 or ERR_IO. */
int spill_read(
	const struct spill *s, uint64_t at, void *out, size_t len, struct err *err) SP_MUST_CHECK;

#endif
