/*
 * Many first-in-first-out queues in one pool of nodes: a queue is 12 bytes and needs no memory of
 * its own, so that a hundred thousand hosts may each have two. 16 bytes for each element at the
 * largest total there was; there is no maximum but 2^32 - 1: the caller counts pages.
 */
#ifndef FRONTIER_QUEUES_H
#define FRONTIER_QUEUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/vec.h"

/* A queue's element: what it is, and whose; the number is the user's (a host, a client). */
struct queue_item {
	uint64_t tag;
	uint32_t host;
};

struct queue_node {
	uint64_t tag;
	uint32_t host;
	uint32_t next; /* index plus one; 0 ends the list */
};

VEC_DECLARE(queue_nodes, struct queue_node);

/* The pool. A zeroed struct is empty. */
struct queues {
	struct queue_nodes nodes;
	uint32_t unused; /* list of the nodes that are free: index plus one, or 0 */
};

/* One queue. A zeroed struct is empty; belongs to the pool that it was first pushed with. */
struct queue {
	uint32_t first, last; /* index plus one, or 0 */
	uint32_t len;
};

/* Frees the nodes of all queues; these must not be used any more. */
void queues_release(struct queues *pool);

/* 0, ERR_NOMEM, ERR_LIMIT. */
int queues_push(struct queues *pool, struct queue *q, struct queue_item item) SP_MUST_CHECK;

/* The same, before all others: it is taken next. */
int queues_push_first(struct queues *pool, struct queue *q, struct queue_item item) SP_MUST_CHECK;

/* One that waits is taken next; false when it does not. Walks along the queue. */
bool queues_hurry(struct queues *pool, struct queue *q, struct queue_item item);

/* Takes the oldest; false when the queue is empty. */
bool queues_pop(struct queues *pool, struct queue *q, struct queue_item *ret);

/* Takes the oldest of this host, wherever it is, and tells its tag. Walks along the queue. */
bool queues_take(struct queues *pool, struct queue *q, uint32_t host, uint64_t *ret_tag);

#endif
