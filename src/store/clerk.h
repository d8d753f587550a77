/*
 * The clerk: the one thread that writes the catalog. Lanes hand it batches of rows and go on. It
 * writes whole batches, as many as there are, in one transaction, and commits. Invariants:
 *
 *	(1) Batches of one lane are committed in the order in which they were handed over, each in
 *	    one transaction.
 *	(2) After the first error nothing more is written: every call tells that error.
 *	(3) What waits is bounded (CLERK_BYTES_MAX): a lane that is faster than the disk waits.
 *
 * A press syncs its WARC file before it hands over a batch that speaks of it (store.h, 1).
 */
#ifndef STORE_CLERK_H
#define STORE_CLERK_H

#include "base/api.h"
#include "base/err.h"
#include "catalog/catalog.h"
#include "store/batch.h"

/* Bytes of batches that wait; one that is larger waits for an empty queue. */
#define CLERK_BYTES_MAX ((size_t)32 << 20)

struct clerk; /* opaque */

/* One that does not write yet: what it is given waits. The catalog is borrowed. 0, ERR_NOMEM. */
int clerk_new(struct catalog *catalog, struct clerk **ret, struct err *err) SP_MUST_CHECK;

/*
 * Starts the thread. Until clerk_stop nobody else uses the catalog; a transaction that is open in
 * it is committed with the first batch. 0, ERR_NOMEM.
 */
int clerk_start(struct clerk *k, struct err *err) SP_MUST_CHECK;

/* An empty batch, the caller's until he hands it over or frees it by batch_free; NULL without
 * memory. For any thread, like the two that follow. */
struct batch *clerk_batch(struct clerk *k);

/* Takes a batch over, in any case; may have to wait. 0, or the clerk's error. */
int clerk_submit(struct clerk *k, struct batch *batch, struct err *err) SP_MUST_CHECK;

/* Waits until all that was handed over is committed. 0, or the clerk's error. */
int clerk_wait(struct clerk *k, struct err *err) SP_MUST_CHECK;

/*
 * Ends the thread when all is committed, and frees the clerk: the catalog may be used again. No
 * lane may be left. What was handed over to one that was never started is lost. 0, or the clerk's
 * error. NULL is fine.
 */
int clerk_stop(struct clerk *k, struct err *err);

#endif
