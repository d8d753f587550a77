/*
 * Politeness: servers, the requests that wait for them, and the hosts of a capture that they serve.
 */
#ifndef NET_SERVERS_H
#define NET_SERVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/rng.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/url.h"
#include "net/pace.h"

/* ---- queues ---- */

/*
 * Many first-in-first-out queues in one pool of nodes: a queue is 12 bytes and needs no memory of
 * its own, so that a hundred thousand hosts may each have two. 16 bytes for each element at the
 * largest total there was; there is no maximum but 2^32 - 1: the caller counts pages.
 */

/* A queue's element: what it is, and whose; the number is the user's (a host, a client). */
struct queue_item {
	uint64_t tag;
	uint32_t host;
};

struct queue_node {
	uint64_t tag;
	uint32_t host;
	uint32_t next; /* index plus one; 0 ends the list */
};

VEC_DECLARE(queue_nodes, struct queue_node);

/* The pool. A zeroed struct is empty. */
struct queues {
	struct queue_nodes nodes;
	uint32_t unused; /* list of the nodes that are free: index plus one, or 0 */
};

/* One queue. A zeroed struct is empty; belongs to the pool that it was first pushed with. */
struct queue {
	uint32_t first, last; /* index plus one, or 0 */
	uint32_t len;
};

/* Frees the nodes of all queues; these must not be used any more. */
void queues_release(struct queues *pool);

void queues_push(struct queues *pool, struct queue *q, struct queue_item item);

/* The same, before all others: it is taken next. */
void queues_push_first(struct queues *pool, struct queue *q, struct queue_item item);

/* One that waits is taken next; false when it does not. Walks along the queue. */
bool queues_hurry(struct queues *pool, struct queue *q, struct queue_item item);

/* Takes the oldest; false when the queue is empty. */
bool queues_pop(struct queues *pool, struct queue *q, struct queue_item *ret);

/* ---- servers ---- */

/*
 * The servers of a lane, and which of them may have a request now. A server is what politeness is
 * owed to, whoever asks: its pace, and the orders that wait for it, belong to it. Clients (the
 * captures of the lane, through struct hosts) are numbers to it, and so are their orders (tags).
 *
 * Several servers may be at one address, which is owed the same politeness whichever of their names
 * it goes by: a request starts when both its server and its address are ready. A Crawl-delay or a
 * Retry-After is a server's own.
 *
 *	server = servers_find(&servers, name);
 *	servers_hold(&servers, server, client, tag);	// an order of the plan
 *	while (servers_take(&servers, now, &client, &tag))	// may start now
 *		start(client, tag);
 *	wait_until(servers_next_ready(&servers));
 *	servers_done(&servers, server, now, seconds, outcome);	// once for each that was taken
 *
 * With servers_want_addresses, orders wait until it is known where their server is:
 *
 *	while (servers_take_unresolved(&servers, &server))
 *		look_up(server);				// then servers_set_address
 *
 * Each call takes O(log n) time for n servers with held orders, over many calls. Times are as in
 * pace.h.
 */

#define SERVER_NO_ADDRESS UINT32_MAX

/* So many addresses are known, and two more for each server; at others a server is alone. */
enum { SERVERS_ADDRESSES_MAX = 1 << 16 };

/* Whom politeness is owed to; servers.c's own. */
struct server {
	slice name; /* lasts as long as the servers */
	struct pace pace;
	struct shared_pace *shared; /* with other lanes; NULL where there are none */
	double barred;              /* by another lane, until then */
	struct queue held;
	double since;  /* when it last had its turn, or began to wait for one */
	uint64_t turn; /* the same as a number, where times are equal */

	uint32_t address;    /* or SERVER_NO_ADDRESS */
	uint32_t moves_to;   /* the next one, as soon as nothing is under way */
	uint32_t prev, next; /* in the line of its address: number plus one, or 0 */
	bool unresolved;     /* nothing starts before its address is known */
	bool asked_for;      /* its address, by servers_take_unresolved */
	bool in_line;        /* ready, but its address is not */
};

/* An address and port, and who waits for it; servers.c's own. */
struct server_address {
	struct pace pace;
	struct shared_pace *shared; /* as of a server */
	double barred;
	uint32_t first, last; /* servers in line: number plus one, or 0 */
};

VEC_DECLARE(server_vec, struct server);
VEC_DECLARE(server_address_vec, struct server_address);

/* Fields are its own. */
struct servers {
	struct pace_rule rule;
	struct shared_paces *shared;
	struct arena names;
	struct strmap by_name, by_address; /* to numbers */
	struct server_vec list;
	struct server_address_vec addresses;
	struct queues queues;
	struct rng rng;    /* of the back-off's jitter */
	struct heap ready; /* servers with held orders, not in line, by when they may start one */
	struct heap lines; /* addresses with servers in line, likewise */
	struct queue unresolved; /* that servers_take_unresolved is to hand out */
	bool wants_addresses;
	uint64_t turns;
	double now; /* the latest time we were told */
	size_t held, busy;
};

/*
 * Allocates nothing. The rule holds for every server; the key should be hash_key_random, and seeds
 * the jitter, too. shared is borrowed, and NULL where nobody else asks the same servers.
 */
void servers_init(
	struct servers *s, struct pace_rule rule, struct shared_paces *shared, struct hash_key key);

/* Safe on a zeroed struct. */
void servers_release(struct servers *s);

/* The number of the server of that name, which is added when it is new. */
uint32_t servers_find(struct servers *s, slice name);

/* ---- addresses ---- */

/* From now on no order of a new server starts before its address is known. */
void servers_want_addresses(struct servers *s);

/* A server with a held order whose address nobody was asked for yet; false when there is none. */
bool servers_take_unresolved(struct servers *s, uint32_t *ret_server);

/* Its name, as given to servers_find. */
slice servers_name(const struct servers *s, uint32_t server);

/*
 * Where a server is, as text; "" when that cannot be known: then it is alone. Servers at one
 * address are the same when their ports are, too. May change at any time; what is under way ends at
 * the old one first.
 */
void servers_set_address(struct servers *s, uint32_t server, slice address);

/* ---- orders ---- */

/* Queues an order until the server is ready. */
void servers_hold(struct servers *s, uint32_t server, uint32_t client, uint64_t tag);

/*
 * The same for one that goes before all others, also those of other servers: a question whether the
 * server lives, or what its robots.txt says now; an audit of a watch.
 */
void servers_hold_first(struct servers *s, uint32_t server, uint32_t client, uint64_t tag);

/* An order that waits goes before all others; nothing happens when it does not wait. */
void servers_hurry(struct servers *s, uint32_t server, uint32_t client, uint64_t tag);

/*
 * Takes a held order that may start now, and counts it as started. Of one server the oldest order
 * goes first; of several servers the one that has been ready for longest, so that none starves.
 */
bool servers_take(struct servers *s, double now, uint32_t *ret_client, uint64_t *ret_tag);

/*
 * When servers_take will have something; may lie in the past, down to -INFINITY. INFINITY when
 * nothing is held, or all of it is for servers that are busy or unresolved: then servers_done or
 * servers_set_address will change it. Too early where an address is shared and servers_take was not
 * called since the last change; never too late.
 */
double servers_next_ready(const struct servers *s);

/* An order that was taken has ended; as pace_end. */
void servers_done(struct servers *s, uint32_t server, double now, double response_seconds,
	enum pace_outcome outcome);

/* As pace_set_crawl_delay and pace_retry_after. */
void servers_retry_after(struct servers *s, uint32_t server, double now, double seconds);

static inline size_t servers_busy(const struct servers *s)
{
	return s->busy;
}

/* ---- hosts ---- */

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
 *	hosts_hold(&hosts, host, tag);			// an order of the plan
 *	hosts_started(&hosts, host);				// servers_take gave its tag
 *	hosts_done(&hosts, host, now, seconds, outcome);	// once for each that was started
 *
 * The pages that wait for a host's robots.txt are kept here too; robots.txt itself stays with the
 * caller, who may keep an array by host number.
 */

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
 * not http or https, ERR_LIMIT when there are HOSTS_MAX, or their names have 4 GiB.
 */
int hosts_find(struct hosts *h, const struct url *url, uint32_t *ret_host) SP_MUST_CHECK;

/* The host with that number, which must exist; valid until the next hosts_find. */
struct host *hosts_at(struct hosts *h, uint32_t host);

/* The pace of its server, to be looked at only; valid until the next hosts_find of any capture. */
const struct pace *hosts_pace(const struct hosts *h, uint32_t host);

/* ---- orders ---- */

/* Queues an order until its server is ready; the tag is the caller's. */
void hosts_hold(struct hosts *h, uint32_t host, uint64_t tag);

/* As servers_hold_first. */
void hosts_hold_first(struct hosts *h, uint32_t host, uint64_t tag);

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
void hosts_set_address(struct hosts *h, uint32_t host, slice address);

/* ---- pages that wait for robots.txt ---- */

void hosts_pend(struct hosts *h, uint32_t host, uint32_t page);

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
