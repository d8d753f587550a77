/*
 * Invariants:
 *  (1) The heap holds exactly the servers with held orders, each under key(): a server whose jobs
 *      are all busy under INFINITY. Whatever changes a pace calls rekey.
 *  (2) A server's key is never before its last turn, so a server that is always ready has its turn
 *      after those that have waited longer: nothing starves.
 */
#include "frontier/servers.h"

#include <assert.h>
#include <math.h>

#include "base/err.h"

/* Of all names; ten million servers have a tenth of it. */
#define NAMES_MAX ((size_t)4 << 30)

void servers_init(
	struct servers *s, struct pace_rule rule, struct shared_paces *shared, struct hash_key key)
{
	*s = (struct servers){.rule = rule, .shared = shared, .now = -INFINITY};
	arena_init(&s->names, NAMES_MAX);
	strmap_init(&s->by_name, key, NULL);
	heap_init(&s->ready);
	rng_init(&s->rng, key.k0);
}

void servers_release(struct servers *s)
{
	for (size_t i = 0; i < s->list.len; i++)
		pace_release(&s->list.ptr[i].pace);
	server_vec_release(&s->list);
	queues_release(&s->queues);
	heap_release(&s->ready);
	strmap_release(&s->by_name);
	arena_release(&s->names);
	*s = (struct servers){0};
}

/* ---- finding ---- */

/* Room for one more, so that what follows can fail only before it is added. */
static int reserve(struct servers *s)
{
	int rc = server_vec_reserve(&s->list, 1);

	return rc ? rc : heap_reserve(&s->ready, s->list.len + 1);
}

static int add(struct servers *s, slice name, uint32_t *ret_server)
{
	struct server server = {.barred = -INFINITY};
	char *copy = arena_strdup(&s->names, name);
	int rc = copy ? reserve(s) : ERR_NOMEM;

	if (rc == 0)
		rc = pace_init(&server.pace, s->rule);
	if (rc)
		return rc;
	if (s->shared)
		rc = shared_paces_join(s->shared, name, &server.shared);
	if (rc == 0)
		rc = strmap_put(&s->by_name, (slice){copy, name.len}, (uint32_t)s->list.len);
	if (rc) {
		pace_release(&server.pace);
		return rc;
	}
	*ret_server = (uint32_t)s->list.len;
	s->list.ptr[s->list.len++] = server;
	return 0;
}

int servers_find(struct servers *s, slice name, uint32_t *ret_server)
{
	if (strmap_get(&s->by_name, name, ret_server))
		return 0;
	return add(s, name, ret_server);
}

static struct server *at(struct servers *s, uint32_t server)
{
	assert(server < s->list.len);
	return &s->list.ptr[server];
}

const struct pace *servers_pace(const struct servers *s, uint32_t server)
{
	assert(server < s->list.len);
	return &s->list.ptr[server].pace;
}

/* ---- orders ---- */

static struct heap_key key(const struct server *s)
{
	return (struct heap_key){
		.key = fmax(fmax(pace_ready(&s->pace), s->barred), s->since), .seq = s->turn};
}

/* Brings the heap up to date with a server that is or was in it. */
static void rekey(struct servers *s, uint32_t server)
{
	struct server *it = &s->list.ptr[server];

	if (it->held.len == 0)
		(void)heap_remove(&s->ready, server);
	else
		(void)heap_update(&s->ready, server, key(it));
}

static void advance(struct servers *s, double now)
{
	s->now = fmax(s->now, now);
}

/* The server goes behind all that are waiting. */
static void give_turn(struct servers *s, struct server *it)
{
	it->since = s->now;
	it->turn = s->turns++;
}

/* An order was added to the server's queue. */
static int note_held(struct servers *s, uint32_t server)
{
	struct server *it = at(s, server);
	int rc;

	s->held++;
	if (it->held.len > 1)
		return 0;
	give_turn(s, it);
	rc = heap_push(&s->ready, server, key(it));
	assert(rc == 0); /* servers_find made room */
	return rc;
}

int servers_hold(struct servers *s, uint32_t server, uint32_t client, uint64_t tag)
{
	int rc = queues_push(&s->queues, &at(s, server)->held, (struct queue_item){tag, client});

	return rc ? rc : note_held(s, server);
}

int servers_hold_first(struct servers *s, uint32_t server, uint32_t client, uint64_t tag)
{
	int rc = queues_push_first(
		&s->queues, &at(s, server)->held, (struct queue_item){tag, client});

	return rc ? rc : note_held(s, server);
}

/* Counts a request of the first server of the heap as started, if the other lanes let it. */
static bool begin(struct servers *s, uint32_t server, double now)
{
	struct server *it = &s->list.ptr[server];

	if (it->shared && !shared_pace_begin(it->shared, now, it->pace.rule.jobs, &it->barred)) {
		rekey(s, server);
		return false;
	}
	pace_begin(&it->pace, now);
	s->busy++;
	return true;
}

bool servers_take(struct servers *s, double now, uint32_t *ret_client, uint64_t *ret_tag)
{
	struct queue_item item = {0};
	struct heap_key first;
	uint32_t server;
	bool any;

	advance(s, now);
	do {
		if (!heap_peek(&s->ready, &server, &first) || first.key > now)
			return false;
	} while (!begin(s, server, now));
	any = queues_pop(&s->queues, &s->list.ptr[server].held, &item);
	assert(any);
	(void)any;
	s->held--;
	give_turn(s, &s->list.ptr[server]);
	rekey(s, server);
	*ret_client = item.host;
	*ret_tag = item.tag;
	return true;
}

double servers_next_ready(const struct servers *s)
{
	struct heap_key first;
	uint32_t server;

	return heap_peek(&s->ready, &server, &first) ? first.key : INFINITY;
}

void servers_undo(struct servers *s, uint32_t server)
{
	struct server *it = at(s, server);

	s->busy--;
	pace_undo(&it->pace);
	if (it->shared)
		shared_pace_end(it->shared, s->now);
	rekey(s, server);
}

void servers_done(struct servers *s, uint32_t server, double now, double response_seconds,
	enum pace_outcome outcome)
{
	struct server *it = at(s, server);

	advance(s, now);
	s->busy--;
	pace_end(&it->pace, now, response_seconds, outcome, rng_double(&s->rng));
	if (it->shared)
		shared_pace_end(it->shared, pace_rest(&it->pace, now));
	rekey(s, server);
}

bool servers_drop(struct servers *s, uint32_t server, uint32_t client, uint64_t *ret_tag)
{
	if (!queues_take(&s->queues, &at(s, server)->held, client, ret_tag))
		return false;
	s->held--;
	rekey(s, server);
	return true;
}

void servers_set_crawl_delay(struct servers *s, uint32_t server, double seconds)
{
	pace_set_crawl_delay(&at(s, server)->pace, seconds);
	rekey(s, server);
}

void servers_retry_after(struct servers *s, uint32_t server, double now, double seconds)
{
	struct server *it = at(s, server);

	advance(s, now);
	pace_retry_after(&it->pace, now, seconds);
	if (it->shared)
		shared_pace_defer(it->shared, pace_rest(&it->pace, now));
	rekey(s, server);
}
