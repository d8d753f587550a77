/*
 * What differs between a response and an earlier look at the page, by their bodies
 * (quality/pair.h), when their states differ. The earlier body is read back from its WARC file.
 */
#ifndef CRAWL_COMPARING_H
#define CRAWL_COMPARING_H

#include "archive/attempt.h"
#include "base/api.h"
#include "base/err.h"
#include "crawl/pages.h"
#include "net/net.h"
#include "quality/pair.h"

struct capture;

/* Room for what an attempt borrows of it. */
struct comparing_room {
	char rules[PAIR_RULES_SIZE];
	struct warc_id compared;
};

/*
 * Completes an attempt that has been read (rule_set, rules, masked, class, compared). Nothing
 * happens where the two cannot be compared here: when the capture ends, that is tried again
 * (quality/learning.h). 0, ERR_NOMEM, ERR_STOPPED.
 */
int comparing_look(struct capture *c, const struct page_visit *before, const struct net_fetch *f,
	struct attempt *a, struct comparing_room *room, struct err *err) SP_MUST_CHECK;

/* A response that was read last and stored, for comparing later ones with it. */
struct page_visit comparing_as_visit(
	const struct capture *c, const struct attempt *a, const struct warc_id *record);

/* The same of an attempt of the catalog, which ended at that time of the planner's clock. */
struct page_visit comparing_restored(const struct attempt *a, double end);

/*
 * Compares a visit with the look of an earlier capture, if there is one: noise is no change from
 * capture to capture either. As comparing_look; what differs otherwise is not recorded.
 */
int comparing_visit(struct capture *c, const struct net_fetch *f, struct attempt *a,
	struct comparing_room *room, struct err *err) SP_MUST_CHECK;

#endif
