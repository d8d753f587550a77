/*
 * Full text search in a collection as of one instant T: the pages that have all words in the
 * version that is shown at T (replay/choice.h). Other versions do not count.
 */
#ifndef REPLAY_SEARCH_H
#define REPLAY_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/timestamp.h"
#include "base/vec.h"
#include "replay/choice.h"
#include "replay/collection.h"

struct work;

enum {
	SEARCH_LIMIT = 20, /* pages, unless said */
	SEARCH_LIMIT_MAX = 100,
	SEARCH_TRIES_MAX = 5000, /* docs that are looked at, at most */
};

struct search_params {
	slice words; /* as typed: text/text_search.h */
	slice at;    /* a timestamp or a date; empty: the newest still point, or the newest look */
	const char *directory; /* that has the text index; NULL: the collection's */
	uint64_t skip;         /* pages that are passed over */
	uint64_t limit;
	int64_t window;    /* mementos further from T do not count; 0: all do */
	struct work *work; /* what it may cost, or NULL */
};

struct search_hit {
	slice url;
	slice title;                 /* may be empty */
	slice snippet;               /* with marks: text/text_search.h */
	char digits[TIMESTAMP_SIZE]; /* of the memento's URI */
	char at[TIMESTAMP_SIZE];     /* T of this page */
	int64_t seen;                /* when the look was */
	enum choice_ground ground;
};

VEC_DECLARE(search_hits, struct search_hit);

/* Release in every case. */
struct search_result {
	struct search_hits hits; /* the best first */
	struct arena arena;
	int64_t time;                /* T */
	char digits[TIMESTAMP_SIZE]; /* the same, for addresses */
	bool at_still_point;         /* T is that of the newest still point */
	bool more;                   /* there are, or there may be */
};

/* Whether the collection can be searched. */
bool search_has_index(const struct collection *c);

/*
 * 0, ERR_NOTFOUND when the collection has no full text index, ERR_USAGE for what cannot be asked,
 * ERR_IO, ERR_NOMEM.
 */
int search_run(struct collection *c, const struct search_params *params, struct search_result *ret,
	struct err *err) SP_MUST_CHECK;
void search_result_release(struct search_result *r);

/* The result as an object: query, at, stillpoint, more, pages (answer_search.c). */
struct json;
void search_print_json(const struct search_result *r, slice words, struct json *j);

#endif
