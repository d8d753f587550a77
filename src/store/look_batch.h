/*
 * Looks that wait to be written to a WARC file as one record (archive/compact.h). Until then they
 * wait in the catalog: those that a commit finds here go with it (look_batch_keep). So a look is,
 * at any moment, in a row of the catalog or in a WARC file that the catalog knows, and a crash
 * loses nothing that was committed.
 *
 * For one thread: that of the lane's press.
 */
#ifndef STORE_LOOK_BATCH_H
#define STORE_LOOK_BATCH_H

#include <stdint.h>

#include "archive/compact.h"
#include "archive/warc_entry.h"
#include "base/api.h"
#include "base/buf.h"
#include "base/err.h"
#include "store/batch.h"

/* Numbers of batches: those of one press are this far apart, so that presses share none. */
enum { LOOK_BATCH_STEP = 1 << 16 };

/* Fields may be read. */
struct look_batch {
	uint64_t batch;   /* number of the batch that is being filled */
	struct buf block; /* of its record: empty when no look waits */
	uint32_t count;
	uint32_t kept;      /* of them, in the catalog already, or handed to it */
	size_t kept_length; /* bytes of the block up to these */
	int64_t date;       /* of the last one */
};

/* first: the number of the first batch; 0 counts as 1. */
void look_batch_init(struct look_batch *l, uint64_t first);
void look_batch_release(struct look_batch *l);

/*
 * Adds a look; *ret_length is the length of its row. 0, ERR_LIMIT when it is too large for what is
 * there already, ERR_NOMEM, or as compact_add.
 */
int look_batch_add(
	struct look_batch *l, const struct compact_look *look, uint64_t *ret_length) SP_MUST_CHECK;

/* Whether it is time to write them. */
bool look_batch_is_full(const struct look_batch *l);

/* Adds the looks that the catalog does not know to the batch: 0 or ERR_NOMEM. */
int look_batch_keep(struct look_batch *l, struct batch *batch, struct err *err) SP_MUST_CHECK;

/* They were written: begins the next batch. */
void look_batch_next(struct look_batch *l);

#endif
