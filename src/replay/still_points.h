/* The captures of a Stillpoint archive, as our pages tell of them: from its catalog. */
#ifndef REPLAY_STILL_POINTS_H
#define REPLAY_STILL_POINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/timestamp.h"
#include "base/vec.h"
#include "replay/collection.h"
#include "replay/memento.h"

struct still_point_row {
	uint32_t id;
	slice site, strategy;
	int64_t started;
	bool is_running, is_single;
	bool is_watched;              /* a site under watch: it has no end and no still point */
	int64_t still_from, still_to; /* 0 when there is none */
	uint64_t captured, sharp;     /* pages, if asked for; of a watch those that were seen */
};

VEC_DECLARE(still_point_rows, struct still_point_row);

struct still_points {
	struct still_point_rows list; /* in their order */
	struct arena arena;
};

/*
 * All of them; counting costs a walk over their pages. None where the collection is no archive. 0
 * or as the catalog's functions; release in any case.
 */
int still_points_load(
	struct collection *c, bool count, struct still_points *ret, struct err *err) SP_MUST_CHECK;
void still_points_release(struct still_points *c);

/* The still point nearest to an instant, of a capture of the URL's own site if there is one; or
 * NULL. */
const struct still_point_row *still_points_nearest(
	const struct still_points *c, slice url, int64_t instant);

/*
 * The digits of an instant at which what the memento shows is proven: that of a still point, if one
 * lies in the proven interval, of its own capture before others; else one next to its look. False
 * when nothing is proven.
 */
bool still_points_prove(
	const struct still_points *c, const struct memento *m, char out[TIMESTAMP_SIZE]);

/* Whether the digits are those that links to a still point have. */
bool still_points_has(const struct still_points *c, slice digits);

/* An instant inside of its still point, as digits of a timestamp; false when it has none. */
bool still_point_digits(const struct still_point_row *row, char out[TIMESTAMP_SIZE]);

#endif
