/* Which pages come first, and what they are worth; links that promise pages about the topic. */
#ifndef CRAWL_IMPORTANCE_H
#define CRAWL_IMPORTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "plan/rank_order.h"
#include "text/topic.h"

/* ---- importance ---- */

/*
 * Which pages of a capture matter: --order, --host-budget and --topic (docs/order.md). Where not
 * all pages can be visited, those that may be fetched wait here, and the planner gets the best of
 * them one at a time, as it runs out of visits; so the choice is made as late as possible. Before
 * the revisits the planner learns what each page is worth. Without these options nothing waits.
 */

struct page_text;
struct arrival;
struct capture;
struct crawl_settings;
struct found;

/* Pages of a host that the planner got. */
struct host_share {
	uint32_t out;      /* whose first attempt is not over */
	uint32_t admitted; /* in all, but for requisites */
	bool spent;        /* its budget is */
};

VEC_DECLARE(host_shares, struct host_share);
VEC_DECLARE(page_flags, bool);

/* Fields are importance.c's own, but for on and gates. Zero-initialise, then importance_init. */
struct importance {
	bool on;        /* there is an order */
	bool gates;     /* pages wait here */
	bool restoring; /* resume is putting back what waited */
	bool weighed;   /* the planner knows the last weights */
	size_t admitted;
	struct rank_order order;
	struct host_shares hosts; /* by host of the capture */
	struct page_flags out;    /* by page */
};

void importance_init(struct importance *m, const struct crawl_settings *s);
void importance_release(struct importance *m);

/* A page has got its number. */
int importance_known(
	struct capture *c, uint32_t page, const struct found *f, struct err *err) SP_MUST_CHECK;

/* Resume: the same of a page of the catalog; and that the planner has it. */
int importance_restore(struct capture *c, uint32_t page, const struct catalog_page *row,
	struct err *err) SP_MUST_CHECK;
int importance_restore_planned(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;

/* robots.txt allows a page that was taken: the planner gets it, or it waits. */
int importance_admit(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;

/* Gives the planner what it may have now. */
int importance_feed(struct capture *c, struct err *err) SP_MUST_CHECK;

/* A page is no longer wanted. */
void importance_forget(struct capture *c, uint32_t page);

/* An attempt at a page is over. */
int importance_done(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;

/* A page was visited and links to these pages, tidy as in plan/rank_graph.h. */
int importance_read(struct capture *c, uint32_t page, const uint32_t *targets, size_t n,
	struct err *err) SP_MUST_CHECK;

/* The visits are over: the planner and the catalog get the weights. */
int importance_weigh(struct capture *c, struct err *err) SP_MUST_CHECK;

/* The capture is over: what still waits is told why. */
int importance_close(struct capture *c, struct err *err) SP_MUST_CHECK;

/* What the planner is to take a page's weight times; 1 unless an order says otherwise. */
double importance_weight(const struct capture *c, uint32_t page);

/* ---- the topic ---- */

/*
 * --topic: which links promise pages about the topic (docs/topic.md). A link promises what its
 * text, its URL and the page that it is on say. Through pages off the topic a promise is handed on
 * for a while, as in fish and shark search (De Bra and Post, 1994; Hersovici et al., 1998), since
 * relevant pages may lie behind others. The promise is the level of a page that waits
 * (plan/rank_order.h).
 */

struct capture;
struct crawl_settings;

/* What is known of a page. */
struct steered_page {
	float handed;   /* promise that its links inherit, once it is read; else what led to it */
	float best;     /* promise of the links that lead to it */
	uint8_t misses; /* pages off the topic in a row that led to it */
};

VEC_DECLARE(steered_pages, struct steered_page);

/* Fields are importance.c's own, but for on. Zero-initialise, then steering_init. */
struct steering {
	bool on;
	struct topic topic;
	struct steered_pages pages; /* by number */
};

/* 0, ERR_SYNTAX for a topic that cannot be read, ERR_NOMEM. */
int steering_init(
	struct steering *s, const struct crawl_settings *settings, struct err *err) SP_MUST_CHECK;
void steering_release(struct steering *s);

/* The visit of a page was read, with its text; before its links are. Stores whether it is on the
 * topic. */
void steering_page(struct capture *c, uint32_t page, const struct page_text *text);

/* As struct crawl_feature has it. */
int steering_wants(struct capture *c, const struct arrival *p, bool *ret_text, struct err *err);

/* It links to that URL, which has been discovered; near is the text of the link. */
void steering_link(struct capture *c, uint32_t from, slice url, slice near);

#endif
