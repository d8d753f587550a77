/*
 * The servers of a lane, and which of them may have a request now. A server is what politeness is
 * owed to, whoever asks: its pace, and the orders that wait for it, belong to it. Clients (the
 * captures of the lane, through hosts.h) are numbers to it, and so are their orders (tags).
 *
 *	rc = servers_find(&servers, name, &server);
 *	rc = servers_hold(&servers, server, client, tag);	// an order of the plan
 *	while (servers_take(&servers, now, &client, &tag))	// may start now
 *		start(client, tag);
 *	wait_until(servers_next_ready(&servers));
 *	servers_done(&servers, server, now, seconds, outcome);	// once for each that was taken
 *
 * Each call takes O(log n) time for n servers with held orders. Times are as in pace.h.
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

/* Whom politeness is owed to; servers.c's own. */
struct server {
	struct pace pace;
	struct shared_pace *shared; /* with other lanes; NULL where there are none */
	double barred;              /* by another lane, until then */
	struct queue held;
	double since;  /* when it last had its turn, or began to wait for one */
	uint64_t turn; /* the same as a number, where times are equal */
};

VEC_DECLARE(server_vec, struct server);

/* Fields are its own. */
struct servers {
	struct pace_rule rule;
	struct shared_paces *shared;
	struct arena names;
	struct strmap by_name; /* to numbers */
	struct server_vec list;
	struct queues queues;
	struct rng rng;    /* of the back-off's jitter */
	struct heap ready; /* servers with held orders, by when they may start one */
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

/* Queues an order until the server is ready. 0, ERR_NOMEM, ERR_LIMIT. */
int servers_hold(struct servers *s, uint32_t server, uint32_t client, uint64_t tag) SP_MUST_CHECK;

/*
 * The same for one that goes before all others: a question whether the server lives, or what its
 * robots.txt says now.
 */
int servers_hold_first(
	struct servers *s, uint32_t server, uint32_t client, uint64_t tag) SP_MUST_CHECK;

/*
 * Takes a held order that may start now, and counts it as started. Of one server the oldest order
 * goes first; of several servers the one that has been ready for longest, so that none starves.
 */
bool servers_take(struct servers *s, double now, uint32_t *ret_client, uint64_t *ret_tag);

/*
 * When servers_take will have something; may lie in the past, down to -INFINITY. INFINITY when
 * nothing is held, or all of it is for servers that are busy: then servers_done will change it.
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

/* As pace_set_crawl_delay and pace_retry_after. */
void servers_set_crawl_delay(struct servers *s, uint32_t server, double seconds);
void servers_retry_after(struct servers *s, uint32_t server, double now, double seconds);

static inline size_t servers_count(const struct servers *s)
{
	return s->list.len;
}

static inline size_t servers_held(const struct servers *s)
{
	return s->held;
}

static inline size_t servers_busy(const struct servers *s)
{
	return s->busy;
}

#endif
