/*
 * Where the bodies are that revisit records refer to, by the catalog. There is no index of record
 * ids: each search reads the observations of all captures once, for all records that are wanted by
 * then. It begins with the capture that most of them are in, the newest come next, and it ends when
 * all are found.
 *
 *	originals_init(&o, catalog);
 *	rc = originals_want(&o, id);			// as many as are known to be needed
 *	from = (struct look_source){.find = originals_find, .context = &o};
 *	rc = look_read(&look, &from, attempt, err);	// searches for what is missing
 */
#ifndef PROOF_ORIGINALS_H
#define PROOF_ORIGINALS_H

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "warc/attempt.h"

VEC_DECLARE(original_places, struct attempt);

/* Fields are its own. */
struct originals {
	struct catalog *catalog;
	uint32_t first;      /* capture to begin with; 0: the newest */
	struct strmap index; /* of ids */
	struct original_places places;
	size_t missing; /* wanted, and not searched for yet */
	struct arena arena;
};

/* The catalog is borrowed. Allocates nothing. first: the capture to begin with, or 0. */
void originals_init(struct originals *o, struct catalog *catalog, uint32_t first);
void originals_release(struct originals *o);

/* Says that a record will be asked for. 0 or ERR_NOMEM. */
int originals_want(struct originals *o, slice id) SP_MUST_CHECK;

/* The same, and where it is: without a search. */
int originals_know(struct originals *o, slice id, slice file, uint64_t offset) SP_MUST_CHECK;

/* As look_find (proof/look.h); the context is the originals. */
int originals_find(void *originals, slice id, struct attempt *ret, struct err *err) SP_MUST_CHECK;

#endif
