/*
 * Response records that others refer to: what a revisit record or a compact look needs of the one
 * that has its body. Some 25 bytes of memory for each; the rest is in the pool's file when it does
 * not fit (base/spill.h).
 */
#ifndef REBUILD_BODIES_H
#define REBUILD_BODIES_H

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/spill.h"
#include "frontier/seen.h"
#include "http/state.h"
#include "quality/words.h"
#include "rate/link_set.h"

/* One of them. */
struct body {
	struct digest payload, body;
	uint64_t manner;  /* how its body is read (quality/manner.h) */
	uint64_t coding;  /* attempt.coding */
	uint32_t codings; /* number of the names of its content codings */
	bool whole, decoded;
	uint8_t coding_end;
	uint16_t links_size; /* of the sketch of its links; 0: none */
	uint8_t links[LINK_SET_SIZE_MAX];
};

/* Fields are its own. It may not be moved. */
struct bodies {
	struct seen numbers; /* by record id */
	struct spill rows;   /* where each begins: number × sizeof struct body */
	struct arena arena;
	struct words codings;
};

void bodies_init(struct bodies *o, struct spill_pool *pool);
void bodies_release(struct bodies *o);

/* Keeps what a response came to; links may be empty. One that is there stays. 0, ERR_NOMEM, … */
int bodies_add(struct bodies *o, slice record, const struct state_result *state, uint64_t manner,
	slice links, struct err *err) SP_MUST_CHECK;

/* 0, ERR_NOTFOUND (without a sentence), ERR_IO. */
int bodies_find(struct bodies *o, slice record, struct body *ret, struct err *err) SP_MUST_CHECK;

/* Its state, to be combined with another head; strings are the table's. */
struct state_result bodies_state(const struct bodies *o, const struct body *of);

#endif
