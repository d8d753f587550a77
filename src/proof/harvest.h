/*
 * How well a crawl with a topic did (docs/topic.md): the harvest rate, that is the share of the
 * visited pages that are on the topic, after each tenth of the visits.
 */
#ifndef PROOF_HARVEST_H
#define PROOF_HARVEST_H

#include <stdint.h>

#include "base/api.h"
#include "proof/report.h"

enum { HARVEST_STEPS = 10 };

struct harvest {
	uint64_t judged;                                       /* pages whose text was read */
	uint64_t on_topic;                                     /* of these */
	uint64_t visited[HARVEST_STEPS], found[HARVEST_STEPS]; /* so far, at each step */
};

/* All 0 for a capture without a topic. 0 or ERR_NOMEM. */
int harvest_count(const struct report *r, struct harvest *ret) SP_MUST_CHECK;

#endif
