/*
 * The press: the thread of a lane that makes its WARC records (digests, compression), writes and
 * syncs them, and then passes the batches with their rows to the clerk. The lane queues jobs and
 * does not wait for them:
 *
 *	lane ── attempts, notes, batches ──▶ press ── batches ──▶ clerk
 *
 * Invariants:
 *
 *	(1) Jobs are done in the order in which they were added: a batch goes to the clerk when the
 *	    records of all attempts before it are on the disk.
 *	(2) After the first error, its own or the clerk's, nothing more is written or passed on.
 *	    Every call returns that error.
 *	(3) The queue is bounded (PRESS_JOBS_MAX, PRESS_BYTES_MAX): a lane that is faster waits. It
 *	    reads no sockets while it waits. So answers are stamped later than they came, and
 *	    requests leave later than they are stamped: a measured interval may be shorter than
 *	    the real one, never longer.
 *
 * The thread sleeps until there is enough to do or somebody waits for it. So a lane does not pay
 * for a wakeup with every page. All functions are for the lane's thread.
 */
#ifndef ARCHIVE_PRESS_H
#define ARCHIVE_PRESS_H

#include "archive/batch.h"
#include "archive/clerk.h"
#include "archive/records.h"
#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "net/net.h"

enum {
	PRESS_JOBS_MAX = 256,
	PRESS_BYTES_MAX = 8 << 20, /* of bodies (also spooled ones) and rows in the queue */
};

struct press; /* opaque */

/* Opens the files and starts the thread. All is borrowed. As records_open, or ERR_NOMEM. */
int press_new(const struct records_params *params, struct clerk *clerk, struct press **ret,
	struct err *err) SP_MUST_CHECK;

/*
 * Does all jobs, completes the WARC file, ends the thread and frees the press: 0 or the first
 * error. Takes the batch, which goes to the clerk last.
 */
int press_close(struct press *p, struct batch *batch, struct err *err) SP_MUST_CHECK;

/* Does all jobs and frees the press, but does not complete the WARC file. NULL is fine. */
void press_abandon(struct press *p);

/* All return 0 or the press's error, and may wait. What they take they take in any case. */

/*
 * Writes the records of an attempt that is in the batch. Borrows the fetch, which may be NULL,
 * until press_free_fetch has freed it.
 */
int press_attempt(struct press *p, struct batch *batch, struct attempt *a,
	const struct net_fetch *fetch, struct err *err) SP_MUST_CHECK;

/* Writes a record of its own, whose strings are constant or in the batch (batch_keep). */
int press_note(struct press *p, struct batch *batch, const struct warc_entry *entry,
	struct err *err) SP_MUST_CHECK;

/* Writes the looks that wait; or a batch of them that an earlier process left, as press_note. */
int press_looks(struct press *p, struct batch *batch, struct err *err) SP_MUST_CHECK;
int press_adopt(struct press *p, struct batch *batch, uint64_t looks,
	const struct warc_entry *entry, struct err *err) SP_MUST_CHECK;

/* Takes a fetch, and frees it after all attempts that borrow it. */
void press_free_fetch(struct press *p, struct net_fetch *fetch);

/* Takes a batch: syncs the file, then passes the batch to the clerk. */
int press_commit(struct press *p, struct batch *batch, struct err *err) SP_MUST_CHECK;

/* Waits until all records can be read from their files. */
int press_flush(struct press *p, struct err *err) SP_MUST_CHECK;

/*
 * Adds the bodies that have become readable since the last time (records.h, fresh) to ret. Does not
 * wait.
 */
void press_bodies(struct press *p, struct records_bodies *ret);

/* 0, or the press's error. Does not wait. */
int press_check(struct press *p, struct err *err) SP_MUST_CHECK;

#endif
