/*
 * The clerk: the one thread that writes the catalog. Presses give it batches of rows. It writes
 * all batches that wait in one transaction, and commits. Invariants:
 *
 *	(1) Batches of one lane are committed in the order in which they were submitted, each in
 *	    one transaction.
 *	(2) After the first error nothing more is written. Every call returns that error.
 *	(3) The queue is bounded (CLERK_BYTES_MAX): who is faster than the disk waits.
 *
 * A press syncs its WARC file before it submits a batch with rows about it (store.h, 1).
 */
#ifndef ARCHIVE_CLERK_H
#define ARCHIVE_CLERK_H

#include "archive/batch.h"
#include "archive/crawl_log.h"
#include "base/api.h"
#include "base/err.h"
#include "catalog/catalog.h"

/* Bytes of batches in the queue; a larger batch waits until it is empty. */
#define CLERK_BYTES_MAX ((size_t)32 << 20)

struct clerk; /* opaque */

/* Does not write before clerk_start: batches wait. The catalog is borrowed. */
struct clerk *clerk_new(struct catalog *catalog);

/* Before clerk_start: what is committed is written to the log, which is borrowed. */
void clerk_set_log(struct clerk *k, struct crawl_log *log);

/*
 * Starts the thread. Until clerk_stop nobody else uses the catalog; a transaction that is open in
 * it is committed with the first batch. 0, ERR_NOMEM.
 */
int clerk_start(struct clerk *k, struct err *err) SP_MUST_CHECK;

/*
 * An empty batch; the caller submits it or frees it with batch_free. For any thread, like the next
 * two.
 */
struct batch *clerk_batch(struct clerk *k);

/* Takes a batch, also when it fails; may wait. 0, or the clerk's error. */
int clerk_submit(struct clerk *k, struct batch *batch, struct err *err) SP_MUST_CHECK;

/* Waits until all submitted batches are committed. 0, or the clerk's error. */
int clerk_wait(struct clerk *k, struct err *err) SP_MUST_CHECK;

/*
 * Commits all, ends the thread and frees the clerk. Then the catalog may be used again. No lane may
 * be left. Batches of a clerk that was never started are lost. 0, or the clerk's error. NULL is
 * fine.
 */
int clerk_stop(struct clerk *k, struct err *err);

#endif
