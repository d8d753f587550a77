/* A URL was found: is it new, is it wanted, may it be fetched? */
#ifndef CRAWL_DISCOVER_H
#define CRAWL_DISCOVER_H

#include "base/api.h"
#include "base/err.h"
#include "plan/plan.h"
#include "plan/rate_estimate.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog/left_out.h"

struct capture;
struct err;
struct plan_order;

/* ---- links that are only counted ---- */

/*
 * Links that were left out and have no page: a page may link to any number of other sites, and what
 * is known of a URL takes memory. They are only counted, each time they are found.
 */

/* A zeroed struct has counted nothing. Fields may be read. */
struct unkept {
	size_t outside;                 /* URLs outside the scope that are kept as pages */
	uint64_t links[LEFT_OUT_COUNT]; /* not kept, by reason */
	bool changed; /* links, since the catalog got them; the caller's to clear */
};

void unkept_add(struct unkept *u, enum left_out reason, uint64_t links);

/* A URL outside the scope was found: true if it is kept; else it is counted. */
bool unkept_keeps_outside(struct unkept *u, size_t max_outside);

/* ---- discovering ---- */

struct found {
	const struct url *url;
	const char *how; /* "seed", "link", "redirect", "seed redirect", "sitemap http://…",
			    "capture 3: link" */
	uint32_t via;    /* or CATALOG_NO_PAGE */
	uint8_t kind;
	bool is_redirect;
	bool is_seed;        /* or the target of one */
	bool is_told;        /* by an earlier capture: how and via are those of then */
	enum frequency word; /* of a sitemap's changefreq */
	int64_t lastmod;     /* of a sitemap, ns since 1970; 0: unknown */
	int64_t latest;      /* the last instant that this can mean */
	unsigned source;     /* under watch: what announces it (plan/refresh_run.h); 0: nothing */
	bool is_listed;      /* in a sitemap */
	double priority;     /* there, or NaN */
};

/* A URL was found. A new one is taken or refused, and stored. */
int discover(struct capture *c, const struct found *found, struct err *err) SP_MUST_CHECK;

/* A page was taken: the planner gets it when its robots.txt allows it. */
int discover_admit(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;

/* Discovers all links of the page that was read last. */
int discover_links(struct capture *c, uint32_t page, const struct url *document,
	struct err *err) SP_MUST_CHECK;

/* Stores how many links were not kept, if that has changed. */
int discover_record_unkept(struct capture *c) SP_MUST_CHECK;

/* The host's robots.txt is known: decides the pages that waited for it. */
int discover_pending(struct capture *c, uint32_t host, struct err *err) SP_MUST_CHECK;

/* It was visited and is spam: it is not revisited. */
void discover_skip_spam(struct capture *c, uint32_t page, double score);

/* It has changed: decides all pages of the host again. */
int discover_review(struct capture *c, uint32_t host, struct err *err) SP_MUST_CHECK;

/* A page that was put off, or refused by --max-pages, may be taken now: decides it again. */
int discover_again(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;

/* ---- where redirects lead ---- */

/* Discovers where the response that was read last leads. An invalid target is no error. */
int discover_redirect(struct capture *c, const struct plan_order *order, const struct url *document,
	struct err *err) SP_MUST_CHECK;

#endif
