/*
 * A body as it arrives: in memory up to NET_MEMORY_MAX, then all of it in a file that has no name
 * and is gone when its descriptor is closed. Bodies that share a counter have NET_BODIES_MAX bytes
 * in memory together: those that grow beyond it go to their files earlier.
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
	size_t *held; /* borrowed: bytes that all who share it have allocated; NULL once let go */
};

/* Empty; allocates and opens nothing. For the thread of the counter, until body_let_go. */
void body_init(struct body *b, const char *spool_dir, size_t *held);

/* Closes the file; the body is empty. */
void body_release(struct body *b);

/* Nothing more will come: it counts no longer, and is for any thread. */
void body_let_go(struct body *b);

/*
 * Appends: 0, ERR_NOMEM, or ERR_IO with a sentence when the file cannot be made or written; the
 * body is as before then.
 */
int body_add(struct body *b, slice bytes, struct err *err) SP_MUST_CHECK;

#endif
