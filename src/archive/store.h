/*
 * What a lane writes: WARC records, by its press (press.h), and catalog rows, by the clerk
 * (clerk.h). Invariant:
 *
 *	(1) A row goes to the clerk, who commits it, only after its records are on the disk (group
 *	    commit, STORE_COMMIT_INTERVAL).
 *
 * The committed size of a WARC file ends after a whole attempt (records.h, 1). Resume sets aside
 * what a crash left after it, and never reads it.
 *
 * A failure of the press is returned by the next call of store_check, store_commit or a function
 * that adds something. The lane ends then.
 */
#ifndef ARCHIVE_STORE_H
#define ARCHIVE_STORE_H

#include "archive/batch.h"
#include "archive/clerk.h"
#include "archive/duplicates.h"
#include "archive/press.h"
#include "archive/table_lines.h"
#include "base/api.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/rng.h"
#include "catalog/catalog.h"
#include "formats/http_state.h"
#include "net/net.h"
#include "warc/attempt.h"

#define STORE_COMMIT_INTERVAL (CLOCK_NS_PER_SECOND / 4)

/* How long a compact look may wait for others (look_batch.h). */
#define STORE_LOOKS_INTERVAL (900 * CLOCK_NS_PER_SECOND)

/* Bytes of rows that make a commit due at once. */
#define STORE_BATCH_MAX ((size_t)4 << 20)

/* Private, except batch. */
struct store {
	struct clerk *clerk;
	struct batch *batch; /* never NULL */
	struct press *press;
	struct duplicates *bodies;
	struct table_lines table;       /* lines that no record has yet */
	struct records_bodies readable; /* scratch */
	struct rng rng;                 /* of the names of records */
	const struct clock *clock;
	const struct clock *wall;
	char boot[CLOCK_BOOT_SIZE];
	struct buf learned;  /* block of the record of learned rules */
	int64_t dirty_since; /* monotonic; 0 when nothing waits for a commit */
	int64_t looks_since; /* the same: the oldest compact look that may be waiting */
	struct err failure;  /* of a row or line, the first: nothing is committed after it */
};

struct store_params {
	struct records_params records;
	struct clerk *clerk;
	struct duplicates *bodies; /* that its records may refer to */
	const struct clock *wall;  /* what records.clock was anchored to; NULL: the same */
};

/* All is borrowed. 0 or as press_new. Starts a thread. */
int store_open(struct store *s, const struct store_params *params, struct err *err) SP_MUST_CHECK;

/* Commits, completes the WARC file and closes: the first error. */
int store_close(struct store *s, struct err *err) SP_MUST_CHECK;

/*
 * Closes without a commit, after an error, which may be in the middle of an attempt. What was
 * committed before stays; resume sets aside the rest of the WARC file.
 */
void store_abandon(struct store *s);

/*
 * Stores an attempt at a page, or at robots.txt or a sitemap: adds a copy to the batch and puts its
 * records in line. 0 or the press's error. record_id and the place of the record are set
 * here. fetch, NULL when nothing was sent, is borrowed until store_free_fetch has freed it.
 * *ret_record, unless NULL, is the id of the response's record, empty when there is none.
 */
int store_attempt(struct store *s, uint32_t capture, const struct attempt *a,
	const struct net_fetch *fetch, struct warc_id *ret_record, struct err *err) SP_MUST_CHECK;

/*
 * Adds a row of a capture, which has this name, to the batch, and its line to the page table. The
 * store keeps a failure: the next store_check, store_commit or store_close returns it.
 */
void store_row(struct store *s, slice uuid, const struct catalog_row *row);

/* Adds only the line: the catalog has the row. */
void store_line(struct store *s, slice uuid, const struct catalog_row *row);

/* Takes a fetch, and frees it when its records are written. */
void store_free_fetch(struct store *s, struct net_fetch *fetch);

/*
 * Whether there is a response record with the body of that attempt already, so that it need not be
 * stored again; may have to wait until it can be read. The strings of *ret are valid until the next
 * call.
 */
bool store_find_body(struct store *s, const struct attempt *a, struct attempt_original *ret);

/*
 * The place of a response record with that payload and coding goes to *original, for a patch
 * against it; false when it is not known. May have to wait until it can be read.
 */
bool store_place_of(struct store *s, const struct digest *payload, uint64_t coding,
	struct attempt_original *original);

/*
 * Queues the looks that an earlier process left in the catalog, to be written first. 0,
 * ERR_IO for rows that are damaged, or as the catalog's functions.
 */
int store_adopt_looks(struct store *s, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

/* Writes what the DNS said of a host, as a resource record (ISO 28500:2017 §6.4.3, RFC 4027). */
int store_lookup(struct store *s, slice host, const struct net_lookup *lookup,
	struct err *err) SP_MUST_CHECK;

/*
 * Records what the clocks say, in the WARC and the catalog; with the settings of the capture where
 * it begins or goes on ("start", "resume"). *ret_clock, unless NULL, is what was recorded; its
 * strings are moment and the store's.
 */
int store_moment(struct store *s, const struct catalog_capture *capture, const char *moment,
	struct catalog_clock *ret_clock, struct err *err) SP_MUST_CHECK;

/*
 * Adds a line that a capture has learned (proof/learning.h) to the catalog, and to a metadata
 * record that is written when it is full, or by store_end_learned. No commit in between: they are
 * there all or not at all.
 */
int store_learned(struct store *s, const struct catalog_capture *capture, slice line,
	struct err *err) SP_MUST_CHECK;
int store_end_learned(
	struct store *s, const struct catalog_capture *capture, struct err *err) SP_MUST_CHECK;

/* Commits, and waits until all is on the disk and in the catalog. */
int store_settle(struct store *s, struct err *err) SP_MUST_CHECK;

/* Whether there are so many rows that a commit is due at once. */
bool store_is_full(const struct store *s);

/* Seconds until a commit is due: 0 when it is, infinite when there is nothing to commit. */
double store_due(struct store *s);

/*
 * Queues a sync of the WARC file, after which all rows so far go to the clerk. Does not wait for
 * it. 0 or the press's error.
 */
int store_commit(struct store *s, struct err *err) SP_MUST_CHECK;

/* 0, or the press's error. */
int store_check(struct store *s, struct err *err) SP_MUST_CHECK;

#endif
