/* The planner's calls, and their log, from which a capture is resumed. */
#ifndef CRAWL_JOURNAL_H
#define CRAWL_JOURNAL_H

#include "base/api.h"
#include "base/err.h"
#include "catalog/catalog.h"
#include "plan/plan.h"
#include <stdint.h>

struct capture;
struct moments;
struct reread;

/* Each calls the planner and adds to the event log. */

int journal_discovered(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;
int journal_withdraw(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;
int journal_retry(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;
int journal_next(
	struct capture *c, enum plan_step *ret_step, struct plan_order *ret_order) SP_MUST_CHECK;
int journal_done(struct capture *c, const struct plan_order *order, enum plan_outcome outcome,
	double begin, double end, struct err *err) SP_MUST_CHECK;
/* A limit ends the visits, or everything. The first limit becomes the row's ended_by. */
int journal_end_visits(struct capture *c, enum catalog_end limit) SP_MUST_CHECK;
int journal_cancel(struct capture *c, enum catalog_end limit) SP_MUST_CHECK;

/*
 * Replays the log into a fresh planner and returns open orders to it. resumed: when processes
 * resumed the capture, on the planner's clock, in their order; the last is this one. What else the
 * log asks for goes to rest.
 */
int journal_replay(struct capture *c, struct catalog *catalog, const struct moments *resumed,
	struct reread *rest, struct err *err) SP_MUST_CHECK;

#endif
