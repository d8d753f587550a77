/*
 * Who decides which page is asked for next, and what its answers mean. A capture has one of two:
 *
 *	SCHEDULER_PLAN   orders.c: a plan_run. Visits, a barrier, revisits, an end.
 *	SCHEDULER_WATCH  looking.c: a refresh_run. Looks at a site under watch, without an end.
 *
 * All else (hosts, robots.txt, links, traps, records) is the same for both.
 */
#ifndef CRAWL_SCHEDULER_H
#define CRAWL_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "crawl/requests.h"
#include "plan/plan.h"
#include "warc/attempt.h"

struct arrival;
struct capture;
struct found;
struct net_fetch;
struct url;

/* Those at the end may be NULL: nothing is to be done then. */
struct scheduler {
	bool endless;             /* no barrier, no end, no still point */
	const char *given_up;     /* why requests under way are ended, if all are */
	enum attempt_leg legs[3]; /* of attempts, by plan_leg */

	/* A page may be asked for. */
	int (*discovered)(struct capture *c, uint32_t page, struct err *err);

	/* Asks for as many orders as there is room for; seconds until it must be called again. */
	int (*dispatch)(struct capture *c, struct err *err);
	double (*wait)(const struct capture *c);

	/* An order was not carried out, or was. */
	int (*dropped)(struct capture *c, const struct plan_order *order, enum drop_reason reason,
		struct err *err);
	int (*finished)(struct capture *c, const struct request *r, const struct net_fetch *f,
		struct err *err);

	/* The attempt at a page was stored. */
	int (*stored)(struct capture *c, const struct arrival *at, struct err *err);

	/* An observation of an earlier process, page by page; whether it is usable. */
	int (*restored)(
		struct capture *c, const struct attempt *a, bool is_usable, struct err *err);

	/* robots.txt forbids a page now. */
	void (*refused)(struct capture *c, uint32_t page);

	/* A sitemap or feed lists a page. Whether its date, ns since 1970, is known already. */
	int (*listed)(struct capture *c, uint32_t page, const struct found *found, struct err *err);
	bool (*knows_date)(const struct capture *c, uint32_t page, int64_t lastmod);

	/* A host was met; a seed redirects there; a request of any kind was sent. */
	void (*host_met)(struct capture *c, uint32_t host);
	int (*seed_added)(struct capture *c, const struct url *seed, struct err *err);
	void (*sent)(struct capture *c, const struct request *r);

	/* Its lane ends. */
	void (*left)(struct capture *c);
};

extern const struct scheduler SCHEDULER_PLAN, SCHEDULER_WATCH;

#endif
