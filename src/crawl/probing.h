/*
 * Probes: further looks at pages, beside the plan. They have no verdict of their own, and never
 * bound the still point (docs/judgement.md, "Probes").
 *
 *	noise      a page that differs at its revisit is fetched once more at once, or when the
 *	           revisits are over: what differs again varies by itself (quality/learner.h)
 *	variant    a page that is the same at its revisit is fetched with a fresh cookie jar
 *	language   the same with another Accept-Language
 *	session    a page that sets cookies is fetched again, without and with them (sessions.h)
 *	canary     a page that was visited is looked at again during the visits (canaries.h)
 *
 * All probes together are at most PROBING_PERCENT of the capture's other requests for pages, or
 * PROBING_MIN; those about sessions, a few for each host, are not counted. Half of the double
 *fetches follow the revisit at once; the others are made at the end, so that they lie as far behind
 *it as the capture allows, and nothing waits for them. They go through the same queue as all
 *requests, so politeness is kept.
 *
 * After a crash those that were waiting are lost, and others take their place: the number of those
 * that were made is in the catalog.
 */
#ifndef CRAWL_PROBING_H
#define CRAWL_PROBING_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/attempt.h"
#include "base/vec.h"

enum {
	PROBING_PERCENT = 6,
	PROBING_MIN = 4,
	PROBING_KINDS_MAX = 1024,      /* of pages that are told apart */
	PROBING_CANDIDATES_MAX = 1024, /* pages that wait for the end */
};

enum probing_purpose {
	PROBING_NOISE,
	PROBING_VARIANT,
	PROBING_LANGUAGE,
	PROBING_CANARY,
	PROBING_SESSION,
	PROBING_PURPOSES,
};

/* A kind of page (quality/place.h), and how many double fetches it got. */
struct probing_kind {
	uint64_t kind; /* hash */
	uint8_t at_once, later, sent;
};

struct probing_candidate {
	uint32_t page;
	uint64_t kind; /* 0: not known, the process that knew it is gone */
	bool sent;
};

VEC_DECLARE(probing_kinds, struct probing_kind);
VEC_DECLARE(probing_candidates, struct probing_candidate);

/* Zero-initialise. Fields are those of probing.c. */
struct probing {
	uint64_t requests;                 /* for pages in the plan, of all processes */
	uint32_t number;                   /* of the last probe */
	uint32_t counts[PROBING_PURPOSES]; /* made, or waiting */
	struct probing_kinds kinds;
	struct probing_candidates later;
	bool is_closing; /* those of the end were sent */
};

void probing_release(struct probing *p);

#endif
