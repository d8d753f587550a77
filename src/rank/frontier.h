/*
 * Pages that wait to be fetched, the best first: a heap for each host, and a heap of hosts. A host
 * that is asked already is held, so that the best page of the others comes up. Every call takes
 * O(log n) but for rank_frontier_rekey, which takes O(n).
 */
#ifndef RANK_FRONTIER_H
#define RANK_FRONTIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/heap.h"
#include "base/lists.h"
#include "base/vec.h"

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

#endif
