/*
 * All looks at one page, and what they prove of it over time: the way from the catalog, or from
 * records of any crawler, to proof/intervals.h.
 *
 * An archive's catalog knows exact times, states and noise. Of other WARC files only this is known:
 * WARC-Date is when a look began, whole seconds as a rule, so that it ended within a second or
 * later; and two looks show the same if status, Location, media type, content coding and payload
 * digest are equal.
 */
#ifndef REPLAY_LOOKS_H
#define REPLAY_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/lists.h"
#include "base/slice.h"
#include "base/vec.h"
#include "proof/intervals.h"
#include "replay/collection.h"
#include "replay/memento.h"
#include "warc/attempt.h"
#include "warc/warc_header.h"

struct page_look {
	struct observation look;
	uint32_t capture;
	slice filename; /* of its record; ptr NULL when it has none of its own */
	uint64_t offset;
	uint32_t order; /* of adding */
	/* A row of a batch (warc/compact.h), whose number is in offset: */
	bool is_compact;
	bool is_revisit; /* that record is a revisit record */
	struct digest payload;
	unsigned char id[WARC_ID_BYTES]; /* of the record that it stands for */
};

VEC_DECLARE(page_look_vec, struct page_look);

/* Fields may be read: intervals once they are finished. Their numbers are those of the list. */
struct looks {
	struct page_look_vec list; /* by time */
	struct u32_vec by_offset;  /* numbers of those that have a record */
	struct intervals intervals;
	bool unreliable; /* times cannot be relied on: nothing is proven */
	struct arena arena;
};

void looks_init(struct looks *l, struct hash_key key); /* a random one */
void looks_release(struct looks *l);

/* Adds an attempt, if it is a look at the page: probes for variants are not. 0 or ERR_NOMEM. */
int looks_add_attempt(struct looks *l, uint32_t capture, const struct attempt *a) SP_MUST_CHECK;

/* Sorts, and computes the intervals. */
void looks_finish(struct looks *l);

/*
 * The looks at the page with this URL. Of an archive all that its catalog has; of other
 * collections, and of files that were imported into an archive, those of the mementos around the
 * time. 0, ERR_NOMEM, ERR_IO, …; records that cannot be read are left out.
 */
int looks_read(struct looks *l, struct collection *c, slice url, const struct mementos *mementos,
	int64_t time, struct err *err) SP_MUST_CHECK;

/*
 * Adds the looks that have no record of their own to the mementos, as far as access rules allow:
 * 0, ERR_LIMIT or ERR_NOMEM. The list is to be settled then.
 */
int looks_add_mementos(const struct looks *l, const struct collection *c, slice url,
	struct mementos *mementos) SP_MUST_CHECK;

/* The look of which a memento is the record, or NULL. */
const struct page_look *looks_of(const struct looks *l, const struct memento *m);

/* Whether what servers assert of the page counts. */
bool looks_trusted(const struct looks *l, struct collection *c, slice url);

#endif
