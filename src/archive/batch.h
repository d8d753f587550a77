/*
 * Rows on their way to the catalog. A lane adds copies of them. At the same time, in another
 * thread, its press (press.h) fills in where their records are. The clerk (clerk.h) writes them in
 * the order in which they were added. An invalid row is found when it is written.
 */
#ifndef ARCHIVE_BATCH_H
#define ARCHIVE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "catalog/catalog.h"
#include "warc/attempt.h"
#include "warc/warc_writer.h"

struct batch_row; /* batch.c's own */

/* Rows and their strings. */
struct batch_part {
	struct arena arena;
	struct batch_row *first, *last;
};

/* Private, except next: used by the batch's current owner. */
struct batch {
	struct batch_part lane;
	struct batch_part press;
	slice file; /* the press's: the name that batch_place was given last */
	struct batch *next;
};

struct batch *batch_new(void);

/* Frees it and all that follow it by next. NULL is fine. */
void batch_free(struct batch *b);

/* Removes all rows and keeps some memory for the next ones. */
void batch_reset(struct batch *b);

/* Whether the lane has added nothing. */
static inline bool batch_is_empty(const struct batch *b)
{
	return !b->lane.first;
}

/* Bytes of the lane's rows, which are nearly all. */
static inline size_t batch_bytes(const struct batch *b)
{
	return b->lane.arena.held;
}

/* A copy of the bytes, valid as long as the lane's rows. */
slice batch_keep(struct batch *b, slice bytes);

/* ---- for the lane ---- */

/*
 * Adds a copy of a row, strings and all. The update of a capture that has ended also judges its
 * pages (judging.h), by all that came before.
 */
void batch_add(struct batch *b, const struct catalog_row *row);

/* The same of an observation; the copy stays where it is until the batch is handed over. */
struct attempt *batch_add_attempt(struct batch *b, uint32_t capture, const struct attempt *a);

/* ---- for the press, while the lane adds rows ---- */

/* Sets where the record of an attempt in the batch is; the file's name is copied. */
void batch_place(struct batch *b, struct attempt *a, const struct warc_place *place);

/* The same of one that is a row of a batch of looks, with that number. */
void batch_in_looks(struct batch *b, struct attempt *a, const struct warc_id *id, uint64_t looks,
	uint64_t length);

/* Adds a copy of a row about WARC files or looks. */
void batch_add_written(struct batch *b, const struct catalog_row *row);

/* ---- for the clerk ---- */

/* Writes all rows, the press's first; the first failure ends it. Commits nothing. */
int batch_write(const struct batch *b, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

/* Whether a row ends a capture, so that its pages are judged. */
bool batch_row_ends_capture(const struct catalog_row *row);

/* Calls for each of the lane's rows, in their order; what is not 0 ends it and is returned. */
int batch_each(const struct batch *b, int (*call)(void *context, const struct catalog_row *row),
	void *context) SP_MUST_CHECK;

#endif
