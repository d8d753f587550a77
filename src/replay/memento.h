/*
 * The mementos of a URL in a collection: what its indexes have under the URL's key, by time. The
 * key (a SURT) drops scheme and "www", so a list may hold several pages: memento_is_of tells.
 */
#ifndef REPLAY_MEMENTO_H
#define REPLAY_MEMENTO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/timestamp.h"
#include "base/vec.h"
#include "replay/collection.h"
#include "url/url.h"

enum { MEMENTOS_MAX = 1 << 20 }; /* of one key */

struct memento {
	int64_t seen;                /* when the look was, ns */
	int64_t fraction;            /* of the record's date, where it was read */
	int64_t time;                /* the same, moved on by ms where two are equal */
	char digits[TIMESTAMP_SIZE]; /* in its URI: 14, or 17 where two share a second */
	slice url;
	slice mime;   /* "warc/revisit" of a revisit */
	slice digest; /* of its payload; ptr NULL when unknown */
	slice filename;
	unsigned status; /* 0 when unknown */
	bool is_revisit;
	uint64_t offset, length;
};

VEC_DECLARE(memento_vec, struct memento);

/* Fields may be read. Release in every case. */
struct mementos {
	struct memento_vec list; /* by time */
	struct arena arena;
	size_t refused; /* by access rules, and so not in the list */
	int64_t now;    /* for embargoes */
};

/*
 * All that are under the key, of any page; lines without a place in a file are left out. 0, ERR_IO,
 * ERR_LIMIT, ERR_NOMEM, ERR_SYNTAX for a damaged index.
 */
int mementos_find(
	struct collection *c, slice key, struct mementos *ret, struct err *err) SP_MUST_CHECK;
void mementos_release(struct mementos *m);

/* Gives every memento the digits of its URI, and a time of its own. The list is sorted then. */
void mementos_settle(struct mementos *m);

#endif
