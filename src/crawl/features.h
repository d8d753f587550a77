/*
 * What may be asked of a capture beside its plan: one row of CRAWL_FEATURES each, with the
 * functions that the way of a page calls. A new feature is a file of its own and a row.
 */
#ifndef CRAWL_FEATURES_H
#define CRAWL_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "crawl/reading.h"
#include "formats/http_state.h"
#include "plan/plan.h"
#include "warc/attempt.h"

struct capture;
struct attempt_room;
struct net_fetch;
struct page_visit;
struct url;

/* A page that came back. */
struct arrival {
	const struct plan_order *order;
	const struct net_fetch *fetch;
	struct reading *reading; /* what was read of it */
	struct attempt a;
	enum reading_for mode;      /* what is read of it */
	struct state_result result; /* once it is read */
	enum plan_outcome outcome;  /* the same */

	/* For response.c: */
	const struct page_visit *visit; /* what it is compared with, or NULL */
	struct attempt_room *room;      /* what the attempt borrows */
	struct reading_signs signs;
	bool again;  /* it shows a login, or wants cookies: it is asked for once more */
	bool follow; /* its links */
};

/* Any function may be NULL. They are called in the order of the rows, close the other way round. */
struct crawl_feature {
	const char *name;

	/* A URL was found, and is page now. */
	int (*found)(struct capture *c, uint32_t page, const struct url *url, struct err *err);

	/* A page comes and is about to be read: sets *ret_text if its text is wanted. */
	int (*wants)(struct capture *c, const struct arrival *p, bool *ret_text, struct err *err);

	/* It was read and stored, and is usable. */
	int (*visited)(struct capture *c, const struct arrival *p, struct err *err);

	/* All visits are done; it may find more of them. Called again until none is left. */
	int (*close)(struct capture *c, struct err *err);

	/* The capture has ended: what was learned is stored. */
	int (*conclude)(struct capture *c, struct err *err);
};

enum { CRAWL_FEATURES_COUNT = 10 };

/* One more, the last, has no name. */
extern const struct crawl_feature CRAWL_FEATURES[CRAWL_FEATURES_COUNT + 1];

#endif
