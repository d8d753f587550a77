/*
 * Which page to fetch next when not all can be: orders of crawling (Olston and Najork, Web
 * Crawling, 4.1). The same code runs in crawls and in `simulate --table order-…`.
 *
 *	breadth       in the order of discovery
 *	indegree      most links from fetched pages first (Cho et al., 1998: backlink count)
 *	pagerank      by the PageRank of the part of the graph that is known (the same). It is
 *	              computed anew, from where it stood, whenever the links have grown by a
 *	              quarter; between, a link adds what its page gives it
 *	opic          most cash first (Abiteboul et al., 2003): a fetched page gives its cash to
 *	              those it links to. Cash that comes to a fetched page is given on in small
 *	              turns
 *	sitemap       by the priority of the site's own sitemap
 *	site-backlog  the host with most waiting pages first (Baeza-Yates et al., 2005)
 *	weights       as the user says
 *
 * A fetched page costs O(links · log(pages)) on average, in every order.
 */
#ifndef RANK_ORDER_H
#define RANK_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/lists.h"
#include "rank/frontier.h"

enum rank_order_kind {
	RANK_NONE, /* no order was asked for */
	RANK_BREADTH,
	RANK_INDEGREE,
	RANK_PAGERANK,
	RANK_OPIC,
	RANK_SITEMAP,
	RANK_SITE_BACKLOG,
	RANK_WEIGHTS,
};

/* Words for the kinds, by number; NULL past the last. */
extern const char *const RANK_ORDERS[];

/* Fields are its own, but for those of params. Zero-initialise, then rank_order_init. */
struct rank_order {
	enum rank_order_kind kind;
	struct rank_frontier frontier; /* may be held and listed */
	struct rank_keys score;        /* by page; what it means is the kind's */
	struct rank_keys past;         /* by page: cash that it has given on (opic) */
	struct u32_vec level;          /* by page: what comes before the score */
	struct u32_vec start;          /* by page: where its links begin in links, plus one */
	struct u32_vec links;          /* of fetched pages: their number, then they */
	struct heap rich;              /* fetched pages with cash */
	size_t known;                  /* pages */
	size_t link_count, ranked;     /* now, and when PageRank was last computed */
	double sum;                    /* of all scores */
	bool out_of_memory;            /* PageRank could not be computed: the old one stays */
};

enum { RANK_LEVELS = 64 };

void rank_order_init(struct rank_order *o, enum rank_order_kind kind);
void rank_order_release(struct rank_order *o);

/*
 * A page is known, numbered densely. The hint is its priority (sitemap), its weight (weights), or
 * the cash it begins with (opic: 1 for seeds); else it is ignored. Calls for a known page set the
 * priority or weight. 0 or ERR_NOMEM.
 */
int rank_order_known(struct rank_order *o, uint32_t page, double hint) SP_MUST_CHECK;

/*
 * A known page waits to be fetched, on that host. Pages of a higher level (below RANK_LEVELS) come
 * first, whatever their score. 0 or ERR_NOMEM.
 */
int rank_order_wait(
	struct rank_order *o, uint32_t page, uint32_t host, unsigned level) SP_MUST_CHECK;

/* Another level for a page. */
void rank_order_level(struct rank_order *o, uint32_t page, unsigned level);

/* Takes the best page of a host that is not held; false when there is none. */
bool rank_order_take(struct rank_order *o, uint32_t *ret_page);

/* A page was fetched and links to these, which are known; several times to one counts once. The
 * targets must be tidy (rank/packed.h). A second time changes nothing. 0 or ERR_NOMEM. */
int rank_order_fetched(
	struct rank_order *o, uint32_t page, const uint32_t *targets, size_t n) SP_MUST_CHECK;

/* Computes all that is put off between: what follows is as good as it gets. 0 or ERR_NOMEM. */
int rank_order_settle(struct rank_order *o) SP_MUST_CHECK;

/* How much a page is worth to the planner: 1 on average, above 0. */
double rank_order_weight(const struct rank_order *o, uint32_t page);

#endif
