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
#ifndef PLAN_RANK_ORDER_H
#define PLAN_RANK_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/heap.h"
#include "base/lists.h"
#include "base/vec.h"

/*
 * Pages that wait to be fetched, the best first: a heap for each host, and a heap of hosts. A host
 * that is asked already is held, so that the best page of the others comes up. Every call takes
 * O(log n) but for rank_frontier_rekey, which takes O(n).
 */

/* How hosts are chosen; of a host always the page with the largest key, then the oldest one. */
enum rank_host_choice {
	RANK_HOSTS_BEST,    /* the host with the best page */
	RANK_HOSTS_BACKLOG, /* the host with most pages that wait (Baeza-Yates et al., 2005) */
	RANK_HOSTS_SHARE,   /* in shares, by what they give: rank_frontier_gave */
};

struct rank_host {
	struct u32_vec waiting; /* a heap of pages */
	double turn;            /* when its share is due (RANK_HOSTS_SHARE) */
	double new_pages;       /* that its pages led to */
	uint32_t taken;
	bool held;
};

VEC_DECLARE(rank_hosts, struct rank_host);
VEC_DECLARE(rank_keys, double);

/* Fields are its own, but for len. Zero-initialise; set by, least and lag. */
struct rank_frontier {
	enum rank_host_choice by;
	double least; /* key below which pages wait, whatever else there is */
	double lag;   /* turns that a host may be ahead of the others; 0: any (RANK_HOSTS_SHARE) */
	size_t len;   /* pages that wait */
	struct rank_hosts hosts;
	struct rank_keys key; /* by page */
	struct u32_vec place; /* by page: in the heap of its host plus one; 0: it does not wait */
	struct u32_vec host;  /* by page */
	struct heap order;    /* of hosts that are not held and have pages */
	struct heap turns; /* of hosts with pages, held or not, by their turns, if there is a lag */
	double turn;       /* of the host that came last */
};

void rank_frontier_release(struct rank_frontier *f);

/* A page waits. Numbers are dense; a page that waits already stays. 0 or ERR_NOMEM. */
int rank_frontier_add(
	struct rank_frontier *f, uint32_t page, uint32_t host, double key) SP_MUST_CHECK;

bool rank_frontier_has(const struct rank_frontier *f, uint32_t page);

/* Another key for a page; nothing happens if it does not wait. */
void rank_frontier_update(struct rank_frontier *f, uint32_t page, double key);

/* The page does not wait any longer. */
void rank_frontier_remove(struct rank_frontier *f, uint32_t page);

/* Takes the best page of a host that is not held; false when there is none. */
bool rank_frontier_take(struct rank_frontier *f, uint32_t *ret_page);

/*
 * Holds a host back, or lets it go on. One that is held for good makes the others wait if there is
 * a lag: take its pages out. 0 or ERR_NOMEM for a host that is new.
 */
int rank_frontier_hold(struct rank_frontier *f, uint32_t host, bool held) SP_MUST_CHECK;

/* A page of that host led to so many new pages. */
void rank_frontier_gave(struct rank_frontier *f, uint32_t host, size_t new_pages);

/* Gives every page that waits the key that the call says. */
typedef double rank_key_of(void *context, uint32_t page);
void rank_frontier_rekey(struct rank_frontier *f, rank_key_of *key_of, void *context);

/* Appends the pages that wait, the best first, whatever their host. 0 or ERR_NOMEM. */
int rank_frontier_list(const struct rank_frontier *f, struct u32_vec *ret) SP_MUST_CHECK;

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
 * targets must be tidy (plan/rank_graph.h). A second time changes nothing. 0 or ERR_NOMEM. */
int rank_order_fetched(
	struct rank_order *o, uint32_t page, const uint32_t *targets, size_t n) SP_MUST_CHECK;

/* Computes all that is put off between: what follows is as good as it gets. 0 or ERR_NOMEM. */
int rank_order_settle(struct rank_order *o) SP_MUST_CHECK;

/* How much a page is worth to the planner: 1 on average, above 0. */
double rank_order_weight(const struct rank_order *o, uint32_t page);

#endif
