/*
 * A body as it arrives: in memory up to NET_MEMORY_MAX, then all of it in a file that has no name
 * and is gone when its descriptor is closed.
 */
#ifndef NET_BODY_H
#define NET_BODY_H

#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"

struct body {
	const char *spool_dir; /* borrowed */
	struct buf memory;     /* empty once there is a file */
	int spool;             /* -1 until there is */
	uint64_t size;
};

/* Empty; allocates and opens nothing. */
void body_init(struct body *b, const char *spool_dir);

/* Closes the file. */
void body_release(struct body *b);

/*
 * Appends: 0, ERR_NOMEM, or ERR_IO with a sentence when the file cannot be made or written; the
 * body is as before then.
 */
int body_add(struct body *b, slice bytes, struct err *err) SP_MUST_CHECK;

#endif
