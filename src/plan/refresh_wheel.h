/*
 * When which page is due: a hierarchical timing wheel (Varghese and Lauck, 1987). Four levels of
 * 256 buckets; a bucket of the lowest level holds the pages of one tick, one of the next level
 * those of 256 ticks, and so on. A page is moved down at most three times before it is taken. All
 * operations are O(1) but for that, and there is no sweep over all pages.
 *
 * Pages are numbers, dense from 0; 16 bytes each. Pages of one bucket come out in the order in
 * which they went in. Several wheels may share the pages, each of which is in one of them at most.
 */
#ifndef PLAN_REFRESH_WHEEL_H
#define PLAN_REFRESH_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/vec.h"

enum {
	WHEEL_LEVELS = 4,
	WHEEL_SLOTS = 256,
	WHEEL_QUEUE = WHEEL_LEVELS * WHEEL_SLOTS, /* a list of pages without a due time */
	WHEEL_LISTS,
	WHEEL_MAX = 8,          /* that share pages */
	WHEEL_OUT = UINT16_MAX, /* the page is in no list */
};

struct wheel_item {
	uint32_t prev, next; /* of the list, which is a ring */
	uint32_t due;        /* tick */
	uint16_t list;       /* number of the wheel times WHEEL_LISTS, plus that of the list */
	uint16_t mark;       /* the owner's */
};

VEC_DECLARE(wheel_items, struct wheel_item);

/* Fields are the wheel's own; queued may be read. */
struct wheel {
	struct wheel_items *items; /* borrowed */
	unsigned number;
	uint32_t heads[WHEEL_LISTS]; /* UINT32_MAX: the list is empty */
	uint64_t full[WHEEL_LEVELS][WHEEL_SLOTS / 64];
	uint32_t cursor; /* no page of the levels is due before it */
	size_t len;      /* pages in the levels */
	size_t queued;   /* and in the queue */
};

/* The number of this wheel, below WHEEL_MAX, is its own among those that share the pages. */
void wheel_init(struct wheel *w, struct wheel_items *items, unsigned number);

/* Makes room for all pages up to this one. 0 or ERR_NOMEM. */
int wheel_items_reach(struct wheel_items *items, uint32_t page) SP_MUST_CHECK;

/* Whether a page is in the levels of this wheel. */
bool wheel_has(const struct wheel *w, uint32_t page);

/* Puts a page, which is in no other wheel, to a tick; one that has passed counts as the present
 * one. */
void wheel_put(struct wheel *w, uint32_t page, uint32_t due);

/* The same for the end of the queue. */
void wheel_queue(struct wheel *w, uint32_t page);

/* Takes a page out; nothing where it is in no list of this wheel. */
void wheel_remove(struct wheel *w, uint32_t page);

/* The page that is due first, which stays, and its tick; false when none is due up to the limit.
 * The present moves on, up to the limit. */
bool wheel_first(struct wheel *w, uint32_t limit, uint32_t *ret_page, uint32_t *ret_due);

/*
 * A page that is due soon, and a tick before which none is; the present stays. False when there is
 * no page. Exact where a page is due within this turn of the lowest level; else the page is the
 * first of some of the first bucket, and the tick is where that bucket begins: ask again then.
 */
bool wheel_peek(const struct wheel *w, uint32_t *ret_page, uint32_t *ret_tick);

/* The head of the queue, which stays. */
bool wheel_queued(const struct wheel *w, uint32_t *ret_page);

/*
 * Ticks begin anew: all that is due, and the present, move back by so many ticks. Each of the rest
 * becomes so many of other length. O(pages). What is due of pages in no wheel moves as well where
 * `others` says so: for one of the wheels that share them.
 */
void wheel_rebase(struct wheel *w, uint32_t ticks, double scale, bool others);

#endif
