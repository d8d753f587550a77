/*
 * What an archive knows of its pages at any instant, over all sites and captures: the intervals of
 * proof/known.h, of each URL from all looks at it. Replay answers by the same intervals.
 *
 *	rc = archive_known_load(&x, catalog, site, &err);
 *	for each page p below x.urls.list.len with archive_known_is_listed(&x, p):
 *		archive_known_at(&x, p, instant)
 *	archive_known_curve(&x, from, to, &curve);
 *
 * Looks in a row are from any captures. A page that was looked at in a capture during which the
 * wall clock was set is unknown at all times: its looks have no certain order.
 *
 * Memory is about 100 bytes and a URL for each page, and 16 for each page of a capture.
 */
#ifndef PROOF_ARCHIVE_KNOWN_H
#define PROOF_ARCHIVE_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "proof/known.h"
#include "proof/quality_words.h"

enum known_state {
	KNOWN_PROVEN,
	KNOWN_ASSERTED,
	KNOWN_UNKNOWN,
	KNOWN_ABSENT, /* proven to be missing: 404 or 410 */
	KNOWN_STATES,
};

/* "proven", "asserted", "unknown", "absent"; constant. */
const char *known_state_name(enum known_state state);

/*
 * interval is valid as long as the archive's. For KNOWN_UNKNOWN it is NULL, or one that was proven
 * once, by responses that were retired: its evidence is SAME_TOMBSTONE.
 */
struct known_at {
	enum known_state state;
	const struct interval *interval;
};

VEC_DECLARE(known_flags, bool);

/* Fields may be read, not written. */
struct archive_known {
	struct known known;        /* by number of the URL */
	struct words urls;         /* in the order of their discovery */
	struct known_flags listed; /* taken by a capture of the site */
	uint64_t pages;            /* that are listed */
	struct arena arena;
};

/*
 * site: pages of its captures only, a URL as the catalog has it; with an empty one, of all. Looks
 * count in any case, whichever capture made them. 0, ERR_NOTFOUND when no capture is of that site,
 * or as the catalog's functions. To be released in any case.
 */
int archive_known_load(struct archive_known *x, struct catalog *catalog, slice site,
	struct err *err) SP_MUST_CHECK;
void archive_known_release(struct archive_known *x);

static inline bool archive_known_is_listed(const struct archive_known *x, uint32_t page)
{
	return page < x->listed.len && x->listed.ptr[page];
}

/* What is known of a page at an instant (wall, ns). */
struct known_at archive_known_at(const struct archive_known *x, uint32_t page, int64_t instant);

/* From `at` (ns, a whole millisecond) to the next point: how many listed pages are in each state.
 */
struct curve_point {
	int64_t at;
	uint64_t count[KNOWN_STATES];
};

VEC_DECLARE(curve, struct curve_point);

/*
 * The sharpness curve: a point at `from`, and one at each millisecond up to `to` at which a count
 * is another than just before. Intervals are rounded inwards to milliseconds, so that no count of
 * proven pages is too large.
 */
void archive_known_curve(
	const struct archive_known *x, int64_t from, int64_t to, struct curve *ret);

#endif
