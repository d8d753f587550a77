/*
 * Rows on their way to the catalog. A lane collects them, strings and all, while it goes on; the
 * clerk (clerk.h) writes them in the order of their coming. The functions are those of the catalog,
 * with the same rows; what is wrong with one is found when it is written. They return 0 or
 * ERR_NOMEM, with a sentence in err.
 */
#ifndef CRAWL_BATCH_H
#define CRAWL_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "catalog/catalog.h"

struct batch_row; /* batch.c's own */

/* Fields are its own, but for next, which is whoever's the batch is. */
struct batch {
	struct arena arena;
	struct batch_row *first, *last;
	struct batch *next;
};

void batch_init(struct batch *b);
void batch_release(struct batch *b);

/* Forgets all rows and keeps a little memory for the next ones. */
void batch_reset(struct batch *b);

static inline bool batch_is_empty(const struct batch *b)
{
	return !b->first;
}

/* Bytes that it holds. */
static inline size_t batch_bytes(const struct batch *b)
{
	return b->arena.held;
}

int batch_add_page(struct batch *b, uint32_t capture, const struct catalog_page *page,
	struct err *err) SP_MUST_CHECK;
int batch_take_page(struct batch *b, uint32_t capture, const struct catalog_page *page,
	struct err *err) SP_MUST_CHECK;
int batch_refuse_page(struct batch *b, uint32_t capture, uint32_t number, enum left_out reason,
	slice rule, struct err *err) SP_MUST_CHECK;
int batch_mark_page(struct batch *b, uint32_t capture, uint32_t number,
	enum catalog_content content, struct err *err) SP_MUST_CHECK;
int batch_set_unkept(struct batch *b, uint32_t capture, enum left_out reason, uint64_t links,
	struct err *err) SP_MUST_CHECK;
int batch_admit_page(struct batch *b, uint32_t capture, uint32_t number, slice rule,
	struct err *err) SP_MUST_CHECK;
int batch_set_plan(struct batch *b, uint32_t capture, uint32_t number, int64_t visit,
	int64_t revisit, bool hopeless, struct err *err) SP_MUST_CHECK;
int batch_add_observation(struct batch *b, uint32_t capture, const struct catalog_observation *o,
	struct err *err) SP_MUST_CHECK;
int batch_add_event(struct batch *b, uint32_t capture, const struct catalog_event *e,
	struct err *err) SP_MUST_CHECK;
int batch_set_warc(struct batch *b, const struct catalog_warc *warc, struct err *err) SP_MUST_CHECK;
int batch_add_robots(struct batch *b, uint32_t capture, const struct catalog_robots *r,
	struct err *err) SP_MUST_CHECK;
int batch_confirm_robots(struct batch *b, uint32_t capture, slice origin, int64_t checked,
	struct err *err) SP_MUST_CHECK;
int batch_add_clock(struct batch *b, uint32_t capture, const struct catalog_clock *k,
	struct err *err) SP_MUST_CHECK;

/* Of the row, what catalog_update_capture takes. */
int batch_update_capture(
	struct batch *b, const struct catalog_capture *capture, struct err *err) SP_MUST_CHECK;

/* The same, and its pages are judged (judging.h), by all that came before. */
int batch_finish_capture(
	struct batch *b, const struct catalog_capture *capture, struct err *err) SP_MUST_CHECK;

/* Writes all rows, in their order; the first failure ends it. Commits nothing. */
int batch_write(const struct batch *b, struct catalog *catalog, struct err *err) SP_MUST_CHECK;

#endif
