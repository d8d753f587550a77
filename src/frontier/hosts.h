/*
 * The hosts of a capture. There are two kinds of things:
 *
 *  - an origin ("http://example.org:80": scheme, host, port) is what robots.txt belongs to. It is
 *    what is called a host here, numbered from 0 in the order of hosts_find;
 *  - a server is what politeness is owed to: a host name and port, but http on port 80 and https
 *    on port 443 of one name are the same. Servers are the lane's (servers.h), since several
 *    captures may ask the same one; a capture knows how many of its orders wait for each.
 *
 *	rc = hosts_find(&hosts, &url, &host);
 *	rc = hosts_hold(&hosts, host, tag);			// an order of the plan
 *	hosts_started(&hosts, host);				// servers_take gave its tag
 *	hosts_done(&hosts, host, now, seconds, outcome);	// once for each that was started
 *
 * The pages that wait for a host's robots.txt are kept here too; robots.txt itself stays with the
 * caller, who may keep an array by host number.
 */
#ifndef FRONTIER_HOSTS_H
#define FRONTIER_HOSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/slice.h"
#include "base/vec.h"
#include "frontier/queues.h"
#include "frontier/servers.h"
#include "url/url.h"

enum { HOSTS_MAX = 1 << 24 };

enum host_robots {
	HOST_ROBOTS_UNKNOWN,
	HOST_ROBOTS_FETCHING,
	HOST_ROBOTS_KNOWN,
};

struct host {
	slice origin;            /* "http://example.org:80"; lasts as long as the hosts */
	uint32_t server;         /* in servers, by place */
	enum host_robots robots; /* the caller's to set; begins as unknown */
	struct queue pending;    /* page numbers; through hosts_pend and hosts_take_pending */
};

/* A server as the capture knows it. */
struct host_server {
	uint32_t number; /* of servers.h */
	uint32_t held;   /* orders of this capture that wait for it */
};

VEC_DECLARE(host_vec, struct host);
VEC_DECLARE(host_server_vec, struct host_server);

/* Fields are its own. */
struct hosts {
	struct servers *servers;
	uint32_t client; /* as whom we are known to the servers */
	struct arena names;
	struct buf scratch;                 /* for a name that is looked up */
	struct strmap by_origin, by_server; /* to numbers */
	struct host_vec list;
	struct host_server_vec asked; /* servers, at most as many as hosts */
	struct queues queues;
	size_t held, pending;
};

/* Allocates nothing. Servers are borrowed; the key should be hash_key_random. */
void hosts_init(struct hosts *h, struct servers *servers, uint32_t client, struct hash_key key);

/* Nothing may be held. Safe on a zeroed struct. */
void hosts_release(struct hosts *h);

/*
 * The number of a URL's host, which is added when it is new. 0, ERR_UNSUPPORTED for a URL that is
 * not http or https, ERR_LIMIT when there are HOSTS_MAX, ERR_NOMEM.
 */
int hosts_find(struct hosts *h, const struct url *url, uint32_t *ret_host) SP_MUST_CHECK;

/* The host with that number, which must exist; valid until the next hosts_find. */
struct host *hosts_at(struct hosts *h, uint32_t host);

/* The pace of its server, to be looked at only; valid until the next hosts_find of any capture. */
const struct pace *hosts_pace(const struct hosts *h, uint32_t host);

/* ---- orders ---- */

/* Queues an order until its server is ready; the tag is the caller's. 0, ERR_NOMEM, ERR_LIMIT. */
int hosts_hold(struct hosts *h, uint32_t host, uint64_t tag) SP_MUST_CHECK;

/* As servers_hold_first. */
int hosts_hold_first(struct hosts *h, uint32_t host, uint64_t tag) SP_MUST_CHECK;

/* As servers_hurry. */
void hosts_hurry(struct hosts *h, uint32_t host, uint64_t tag);

/* servers_take has given one of the host's orders: it is held no longer. */
void hosts_started(struct hosts *h, uint32_t host);

/* An order that was started has ended; as pace_end. */
void hosts_done(struct hosts *h, uint32_t host, double now, double response_seconds,
	enum pace_outcome outcome);

/* The order that was started just now is not carried out: nothing has happened. */
void hosts_undo(struct hosts *h, uint32_t host);

/* Takes any held order, ready or not, which counts as never started: for giving up. */
bool hosts_drop(struct hosts *h, uint64_t *ret_tag);

/* The same for one of this host's server. */
bool hosts_drop_from(struct hosts *h, uint32_t host, uint64_t *ret_tag);

/* As pace_set_delay, pace_set_crawl_delay and pace_retry_after, for the host's server. */
void hosts_set_delay(struct hosts *h, uint32_t host, double delay, bool automatic);
void hosts_set_crawl_delay(struct hosts *h, uint32_t host, double seconds);
void hosts_retry_after(struct hosts *h, uint32_t host, double now, double seconds);

/* As servers_set_address. */
int hosts_set_address(struct hosts *h, uint32_t host, slice address) SP_MUST_CHECK;

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

#endif
