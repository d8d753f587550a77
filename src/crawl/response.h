/*
 * A page came back: what differs from an earlier look at it, its records, its outcome, its links.
 */
#ifndef CRAWL_RESPONSE_H
#define CRAWL_RESPONSE_H

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "crawl/pages.h"
#include "net/net.h"
#include "plan/plan.h"
#include "proof/pair.h"
#include "warc/attempt.h"
#include <stdint.h>

/* ---- comparing ---- */

/*
 * What differs between a response and an earlier look at the page, by their bodies
 * (proof/pair.h), when their states differ. The earlier body is read back from its WARC file.
 */

struct capture;
struct request;

/* Room for what an attempt borrows of it. */
struct comparing_room {
	char rules[PAIR_RULES_SIZE];
	struct warc_id compared;
};

/* The same of an attempt of the catalog, which ended at that time of the planner's clock. */
struct page_visit comparing_restored(const struct attempt *a, double end);

/* A usable visit or look of an earlier process: later ones are compared with it. */
int response_restored(struct capture *c, const struct attempt *a, struct err *err) SP_MUST_CHECK;

/* ---- responses ---- */

/* What came of an order: records it, finds links, tells how it went. */
int response_finished(struct capture *c, const struct request *r, const struct net_fetch *f,
	enum plan_outcome *ret_outcome, struct err *err) SP_MUST_CHECK;

/*
 * Discovers what the response of an earlier attempt links to, read again from its record: all of
 * the fetch but URL, status, head and body is left out.
 */
int response_read_again(struct capture *c, const struct attempt *a, const struct net_fetch *f,
	struct err *err) SP_MUST_CHECK;

/* Records a further look at a page, for a purpose. */
int response_probed(struct capture *c, const struct request *r, const struct net_fetch *f,
	struct err *err) SP_MUST_CHECK;

/* Records that an order was not carried out. */
int response_skipped(struct capture *c, const struct plan_order *order,
	enum attempt_failure failure, const char *why, struct err *err) SP_MUST_CHECK;

/* Records a request that is not part of the plan. */
int response_unplanned(struct capture *c, slice url, unsigned tries, const struct net_fetch *f,
	const struct state_result *result, struct err *err) SP_MUST_CHECK;

/* The same, without the response: it may contain a secret. */
int response_withheld(
	struct capture *c, slice url, const struct net_fetch *f, struct err *err) SP_MUST_CHECK;

/* Obeys the Retry-After of the response that was just read, if its status is 429 or 503. */
void response_obey_retry_after(struct capture *c, uint32_t host, unsigned status);

#endif
