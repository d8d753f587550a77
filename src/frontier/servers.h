/*
 * The servers of a lane, and which of them may have a request now. A server is what politeness is
 * owed to, whoever asks: its pace, and the orders that wait for it, belong to it. Clients (the
 * captures of the lane, through hosts.h) are numbers to it, and so are their orders (tags).
 *
 * Several servers may be at one address, which is owed the same politeness whichever of their names
 * it goes by: a request starts when both its server and its address are ready. A Crawl-delay or a
 * Retry-After is a server's own.
 *
 *	rc = servers_find(&servers, name, &server);
 *	rc = servers_hold(&servers, server, client, tag);	// an order of the plan
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
#ifndef FRONTIER_SERVERS_H
#define FRONTIER_SERVERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/rng.h"
#include "base/slice.h"
#include "base/vec.h"
#include "frontier/pace.h"
#include "frontier/queues.h"
#include "frontier/shared_pace.h"

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

/* The number of the server of that name, which is added when it is new. 0 or ERR_NOMEM. */
int servers_find(struct servers *s, slice name, uint32_t *ret_server) SP_MUST_CHECK;

/* To be looked at only; valid until the next servers_find. */
const struct pace *servers_pace(const struct servers *s, uint32_t server);

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
 * the old one first. 0 or ERR_NOMEM: all is as before.
 */
int servers_set_address(struct servers *s, uint32_t server, slice address) SP_MUST_CHECK;

/* ---- orders ---- */

/* Queues an order until the server is ready. 0, ERR_NOMEM, ERR_LIMIT. */
int servers_hold(struct servers *s, uint32_t server, uint32_t client, uint64_t tag) SP_MUST_CHECK;

/*
 * The same for one that goes before all others, also those of other servers: a question whether the
 * server lives, or what its robots.txt says now; an audit of a watch.
 */
int servers_hold_first(
	struct servers *s, uint32_t server, uint32_t client, uint64_t tag) SP_MUST_CHECK;

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

/* The order that servers_take has just given is not carried out: its server is as it was. */
void servers_undo(struct servers *s, uint32_t server);

/*
 * Takes the oldest order that a client holds for the server, ready or not, and does not count it as
 * started: for giving up. Costs a walk along the server's queue.
 */
bool servers_drop(struct servers *s, uint32_t server, uint32_t client, uint64_t *ret_tag);

/* As pace_set_delay, of the server and of its address, which others may share. */
void servers_set_delay(struct servers *s, uint32_t server, double delay, bool automatic);

/* As pace_set_crawl_delay and pace_retry_after. */
void servers_set_crawl_delay(struct servers *s, uint32_t server, double seconds);
void servers_retry_after(struct servers *s, uint32_t server, double now, double seconds);

static inline size_t servers_busy(const struct servers *s)
{
	return s->busy;
}

#endif
