/*
 * The mementos of a URL in a collection, by time. Every look at a page is one, however it is kept:
 * as a record, which the indexes have under the URL's key, or as a row of a batch of looks
 * (warc/compact.h), which the catalog has (replay/looks.h adds those). The key (a SURT) drops
 * scheme and "www", so a list may hold several pages.
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
#include "formats/url.h"
#include "replay/collection.h"
#include "warc/warc_header.h"

enum { MEMENTOS_MAX = 1 << 20 }; /* of one key */

struct memento {
	int64_t seen;                /* when the look was, ns */
	int64_t fraction;            /* of the record's date, where it was read */
	int64_t time;                /* the same, moved on by ms where two are equal */
	char digits[TIMESTAMP_SIZE]; /* in its URI: 14, or 17 where two share a second */
	slice url;
	slice mime;   /* "warc/revisit" of a revisit; none of a row */
	slice digest; /* of its payload; ptr NULL when unknown */
	slice filename;
	unsigned status; /* 0 when unknown */
	bool is_revisit;
	uint64_t offset, length;
	/* A row of a batch, whose number is in offset; it has no file of its own: */
	bool is_compact;
	uint32_t look;                   /* its number in the looks at the page */
	unsigned char id[WARC_ID_BYTES]; /* of the record that it stands for */
	/* What is proven of what it shows (replay/choice.h); all 0: nothing, or not known. */
	int64_t proven_from, proven_to;
	int64_t proven_at; /* an instant of these, next to the look */
	uint32_t capture;  /* of an archive, that has the look; 0: unknown */
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

/* Whether the server said that there is no such page. */
bool memento_is_missing(const struct memento *m);

/* Gives every memento the digits of its URI, and a time of its own. The list is sorted then. */
void mementos_settle(struct mementos *m);

#endif
