/*
 * The hosts of a capture, and which of them may have a request now. There are two kinds of things:
 *
 *  - an origin ("http://example.org:80": scheme, host, port) is what robots.txt belongs to. It is
 *    what is called a host here, numbered from 0 in the order of hosts_find;
 *  - a server is what politeness is owed to: a host name and port, but http on port 80 and https
 *    on port 443 of one name are the same. Its pace, and the orders that wait for it, belong to it.
 *
 *	rc = hosts_find(&hosts, &url, &host);
 *	rc = hosts_hold(&hosts, host, tag);			// an order of the plan
 *	while (hosts_take(&hosts, now, &host, &tag))		// may start now
 *		start(host, tag);
 *	wait_until(hosts_next_ready(&hosts));
 *	hosts_done(&hosts, host, now, seconds, failed);		// once for each that was taken
 *
 * Each call takes O(log n) time for n servers with held orders. Times are as in pace.h. The pages
 * that wait for a host's robots.txt are kept here too; robots.txt itself stays with the caller, who
 * may keep an array by host number.
 */
#ifndef FRONTIER_HOSTS_H
#define FRONTIER_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/slice.h"
#include "base/vec.h"
#include "frontier/pace.h"
#include "frontier/queues.h"
#include "url/url.h"

enum { HOSTS_MAX = 1 << 24 };

enum host_robots {
	HOST_ROBOTS_UNKNOWN,
	HOST_ROBOTS_FETCHING,
	HOST_ROBOTS_KNOWN,
};

struct host {
	slice origin;            /* "http://example.org:80"; lasts as long as the hosts */
	uint32_t pace_index;     /* its server */
	enum host_robots robots; /* the caller's to set; begins as unknown */
	struct queue pending;    /* page numbers; through hosts_pend and hosts_take_pending */
};

/* Whom politeness is owed to; hosts.c's own. */
struct host_server {
	struct pace pace;
	struct queue held;
	double since;  /* when it last had its turn, or began to wait for one */
	uint64_t turn; /* the same as a number, where times are equal */
};

VEC_DECLARE(host_vec, struct host);
VEC_DECLARE(host_server_vec, struct host_server);

/* Fields are its own. */
struct hosts {
	struct pace_rule rule;
	struct arena names;
	struct buf scratch;                 /* for a name that is looked up */
	struct strmap by_origin, by_server; /* to numbers */
	struct host_vec list;
	struct host_server_vec servers;
	struct queues queues;
	struct heap ready; /* servers with held orders, by when they may start one */
	uint64_t turns;
	double now; /* the latest time we were told */
	size_t held, pending, busy;
};

/* Allocates nothing. The rule holds for every server; the key should be hash_key_random. */
void hosts_init(struct hosts *h, struct pace_rule rule, struct hash_key key);

/* Safe on a zeroed struct. */
void hosts_release(struct hosts *h);

/*
 * The number of a URL's host, which is added when it is new. 0, ERR_UNSUPPORTED for a URL that is
 * not http or https, ERR_LIMIT when there are HOSTS_MAX, ERR_NOMEM.
 */
int hosts_find(struct hosts *h, const struct url *url, uint32_t *ret_host) SP_MUST_CHECK;

/* The host with that number, which must exist; valid until the next hosts_find. */
struct host *hosts_at(struct hosts *h, uint32_t host);

/* The pace of its server, to be looked at only; valid until the next hosts_find. */
const struct pace *hosts_pace(const struct hosts *h, uint32_t host);

/* ---- orders ---- */

/* Queues an order until its server is ready; the tag is the caller's. 0, ERR_NOMEM, ERR_LIMIT. */
int hosts_hold(struct hosts *h, uint32_t host, uint64_t tag) SP_MUST_CHECK;

/*
 * Takes a held order that may start now, and counts it as started. Of one server the oldest order
 * goes first; of several servers the one that has been ready for longest, so that none starves.
 */
bool hosts_take(struct hosts *h, double now, uint32_t *ret_host, uint64_t *ret_tag);

/*
 * When hosts_take will have something; may lie in the past, down to -INFINITY. INFINITY when
 * nothing is held, or all of it is for servers that are busy: then hosts_done will change it.
 */
double hosts_next_ready(const struct hosts *h);

/* An order that was taken has ended; as pace_end. */
void hosts_done(struct hosts *h, uint32_t host, double now, double response_seconds, bool failed);

/* Takes any held order, ready or not, and does not count it as started: for giving up. */
bool hosts_drop(struct hosts *h, uint32_t *ret_host, uint64_t *ret_tag);

/* As pace_set_crawl_delay and pace_retry_after, for the host's server. */
void hosts_set_crawl_delay(struct hosts *h, uint32_t host, double seconds);
void hosts_retry_after(struct hosts *h, uint32_t host, double now, double seconds);

/* ---- pages that wait for robots.txt ---- */

/* Queues a page. 0, ERR_NOMEM, ERR_LIMIT. */
int hosts_pend(struct hosts *h, uint32_t host, uint32_t page) SP_MUST_CHECK;

/* Takes the oldest; false when there is none. */
bool hosts_take_pending(struct hosts *h, uint32_t host, uint32_t *ret_page);

/* ---- counts ---- */

static inline size_t hosts_count(const struct hosts *h)
{
	return h->list.len;
}

static inline size_t hosts_held(const struct hosts *h)
{
	return h->held;
}

/* Orders held for the server of this host. */
size_t hosts_held_for(const struct hosts *h, uint32_t host);

/* Servers, of which there are at most as many as hosts. */
static inline size_t hosts_servers(const struct hosts *h)
{
	return h->servers.len;
}

static inline size_t hosts_busy(const struct hosts *h)
{
	return h->busy;
}

static inline size_t hosts_pending(const struct hosts *h)
{
	return h->pending;
}

#endif
