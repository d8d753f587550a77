/*
 * Probes: further looks at pages, beside the plan. They have no verdict of their own, and never
 * bound the still point (docs/judgement.md, "Probes").
 *
 *	noise      a page that differs at its revisit is fetched two more times at once: what is
 *	           new each time varies by itself (quality/learning.h)
 *	variant    a page that is the same at its revisit is fetched with a fresh cookie jar
 *	language   the same with another Accept-Language
 *	session    a page that sets cookies is fetched again, without and with them (sessions.h)
 *	canary     a page that was visited is looked at again during the visits (canaries.h)
 *
 * All probes together are at most PROBING_PERCENT of the capture's other requests for pages, or
 * PROBING_MIN; those about sessions, a few for each host, are not counted. They go through the same
 * queue as all requests, so politeness is kept. Those that were waiting when a process ended are
 * lost; the number of those that were made is in the catalog.
 */
#ifndef CRAWL_PROBING_H
#define CRAWL_PROBING_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/attempt.h"
#include "base/vec.h"

enum {
	PROBING_PERCENT = 6,
	PROBING_MIN = 8,
	PROBING_KINDS_MAX = 1024, /* of pages that are told apart */
};

enum probing_purpose {
	PROBING_NOISE,
	PROBING_VARIANT,
	PROBING_LANGUAGE,
	PROBING_CANARY,
	PROBING_SESSION,
	PROBING_PURPOSES,
};

/* A kind of page (quality/page_kind.h), and how many of its pages were probed. */
struct probing_kind {
	uint64_t kind; /* hash */
	uint8_t pages;
};

VEC_DECLARE(probing_kinds, struct probing_kind);

/* Zero-initialise. Fields are those of probing.c. */
struct probing {
	uint64_t requests;                 /* for pages in the plan, of all processes */
	uint32_t number;                   /* of the last probe */
	uint32_t counts[PROBING_PURPOSES]; /* made, or waiting */
	struct probing_kinds kinds;
};

void probing_release(struct probing *p);

#endif
