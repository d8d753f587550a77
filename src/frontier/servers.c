/*
 * Invariants:
 *  (1) A server with held orders is either in the heap `ready` under key(), a server whose jobs
 *      are all busy under INFINITY, or in the line of its address: then it could start, but its
 *      address could not when servers_take came to it. Whatever changes a pace calls rekey.
 *  (2) A server's key is never before its last turn, so a server that is always ready has its turn
 *      after those that have waited longer: nothing starves. But one with a request that goes
 *      before all others has its turn at once.
 *  (3) The heap `lines` holds exactly the addresses that have a line, under when their first server
 *      may start. Who comes to an address with a line goes to its end.
 *  (4) A request is under way at its server and at that server's address, if it has one: a server
 *      with requests under way keeps its address.
 */
#include "frontier/servers.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/err.h"

/* Of all names; ten million servers have a tenth of it. */
#define NAMES_MAX ((size_t)4 << 30)

enum { ADDRESS_MAX = 96 }; /* bytes of one with its port */

void servers_init(
	struct servers *s, struct pace_rule rule, struct shared_paces *shared, struct hash_key key)
{
	*s = (struct servers){.rule = rule, .shared = shared, .now = -INFINITY};
	arena_init(&s->names, NAMES_MAX);
	strmap_init(&s->by_name, key, NULL);
	strmap_init(&s->by_address, key, NULL);
	heap_init(&s->ready);
	rng_init(&s->rng, key.k0);
	heap_init(&s->lines);
}

void servers_release(struct servers *s)
{
	for (size_t i = 0; i < s->list.len; i++)
		pace_release(&s->list.ptr[i].pace);
	for (size_t i = 0; i < s->addresses.len; i++)
		pace_release(&s->addresses.ptr[i].pace);
	server_vec_release(&s->list);
	server_address_vec_release(&s->addresses);
	queues_release(&s->queues);
	heap_release(&s->ready);
	heap_release(&s->lines);
	strmap_release(&s->by_name);
	strmap_release(&s->by_address);
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
	struct server server = {.barred = -INFINITY,
		.address = SERVER_NO_ADDRESS,
		.moves_to = SERVER_NO_ADDRESS,
		.unresolved = s->wants_addresses};
	char *copy = arena_strdup(&s->names, name);
	int rc = copy ? reserve(s) : ERR_NOMEM;

	if (rc == 0)
		rc = pace_init(&server.pace, s->rule);
	if (rc)
		return rc;
	if (s->shared)
		rc = shared_paces_join(s->shared, name, &server.shared);
	server.name = (slice){copy, name.len};
	if (rc == 0)
		rc = strmap_put(&s->by_name, server.name, (uint32_t)s->list.len);
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

/* ---- who may start when ---- */

static struct server_address *address_of(struct servers *s, const struct server *it)
{
	return it->address == SERVER_NO_ADDRESS ? NULL : &s->addresses.ptr[it->address];
}

static double address_ready(const struct server_address *a)
{
	return fmax(pace_ready(&a->pace), a->barred);
}

/* Whether it has to let what is under way end before it goes on elsewhere. */
static bool is_moving(const struct server *it)
{
	return it->moves_to != it->address;
}

static struct heap_key key(const struct server *it)
{
	double when = fmax(fmax(pace_ready(&it->pace), it->barred), it->since);

	return (struct heap_key){
		.key = it->unresolved || is_moving(it) ? INFINITY : when, .seq = it->turn};
}

/* Brings `lines` up to date with an address. */
static void rekey_line(struct servers *s, uint32_t address)
{
	const struct server_address *a = &s->addresses.ptr[address];
	struct heap_key first;
	int rc = 0;

	assert(s->addresses.ptr && address < s->addresses.len);
	if (a->first == 0) {
		(void)heap_remove(&s->lines, address);
		return;
	}
	first = key(&s->list.ptr[a->first - 1]);
	first.key = fmax(first.key, address_ready(a));
	if (!heap_update(&s->lines, address, first))
		rc = heap_push(&s->lines, address, first);
	assert(rc == 0); /* servers_set_address made room */
	(void)rc;
}

static void leave_line(struct servers *s, uint32_t server)
{
	struct server *it = &s->list.ptr[server];
	struct server_address *a;

	if (!it->in_line)
		return;
	assert(s->addresses.ptr); /* who stands in a line has an address */
	a = &s->addresses.ptr[it->address];
	*(it->prev ? &s->list.ptr[it->prev - 1].next : &a->first) = it->next;
	*(it->next ? &s->list.ptr[it->next - 1].prev : &a->last) = it->prev;
	it->prev = it->next = 0;
	it->in_line = false;
	rekey_line(s, it->address);
}

static void join_line(struct servers *s, uint32_t server)
{
	struct server *it = &s->list.ptr[server];
	struct server_address *a = &s->addresses.ptr[it->address];

	(void)heap_remove(&s->ready, server);
	it->prev = a->last;
	*(a->last ? &s->list.ptr[a->last - 1].next : &a->first) = server + 1;
	a->last = server + 1;
	it->in_line = true;
	rekey_line(s, it->address);
}

/* Brings the heaps up to date with a server. */
static void rekey(struct servers *s, uint32_t server)
{
	struct server *it = &s->list.ptr[server];
	int rc = 0;

	if (it->in_line && it->held.len > 0 && key(it).key <= s->now)
		return; /* it keeps its place */
	leave_line(s, server);
	if (it->held.len == 0)
		(void)heap_remove(&s->ready, server);
	else if (!heap_update(&s->ready, server, key(it)))
		rc = heap_push(&s->ready, server, key(it));
	assert(rc == 0); /* servers_find made room */
	(void)rc;
}

/* ---- addresses ---- */

void servers_want_addresses(struct servers *s)
{
	s->wants_addresses = true;
}

bool servers_take_unresolved(struct servers *s, uint32_t *ret_server)
{
	struct queue_item item;

	if (!queues_pop(&s->queues, &s->unresolved, &item))
		return false;
	*ret_server = item.host;
	return true;
}

slice servers_name(const struct servers *s, uint32_t server)
{
	assert(server < s->list.len);
	return s->list.ptr[server].name;
}

/* The address is owed the pause of the server that leads to it first. */
static int add_address(struct servers *s, struct pace_rule rule, slice name, uint32_t *ret)
{
	struct server_address a = {.barred = -INFINITY};
	char *copy = arena_strdup(&s->names, name);
	int rc = copy ? server_address_vec_reserve(&s->addresses, 1) : ERR_NOMEM;

	if (rc == 0)
		rc = heap_reserve(&s->lines, s->addresses.len + 1);
	if (rc == 0)
		rc = pace_init(&a.pace, rule);
	if (rc)
		return rc;
	if (s->shared)
		rc = shared_paces_join(s->shared, name, &a.shared);
	if (rc == 0)
		rc = strmap_put(
			&s->by_address, (slice){copy, name.len}, (uint32_t)s->addresses.len);
	if (rc) {
		pace_release(&a.pace);
		return rc;
	}
	*ret = (uint32_t)s->addresses.len;
	s->addresses.ptr[s->addresses.len++] = a;
	return 0;
}

/* What stands behind the host in a server's name: ":8080", or nothing for the usual ports. */
static slice port_of(slice name)
{
	size_t end = name.len;

	while (end > 0 && name.ptr[end - 1] != ':' && name.ptr[end - 1] != ']')
		end--;
	return end > 0 && name.ptr[end - 1] == ':' ? slice_sub(name, end - 1, name.len) : SLICE("");
}

/* The number of an address at the server's port. No server's name has a blank in it. */
static int find_address(struct servers *s, const struct server *it, slice text, uint32_t *ret)
{
	slice port = port_of(it->name);
	char name[ADDRESS_MAX];
	int len = snprintf(
		name, sizeof name, "%.*s %.*s", (int)text.len, text.ptr, (int)port.len, port.ptr);
	slice whole = {name, (size_t)len < sizeof name ? (size_t)len : sizeof name - 1};

	if (strmap_get(&s->by_address, whole, ret))
		return 0;
	/* A name may lead somewhere else every minute, for weeks. */
	if (s->addresses.len >= SERVERS_ADDRESSES_MAX + 2 * s->list.len) {
		*ret = SERVER_NO_ADDRESS;
		return 0;
	}
	return add_address(s, it->pace.rule, whole, ret);
}

int servers_set_address(struct servers *s, uint32_t server, slice address)
{
	uint32_t to = SERVER_NO_ADDRESS;
	struct server *it = at(s, server);
	int rc = address.len > 0 ? find_address(s, it, address, &to) : 0;

	if (rc)
		return rc;
	it->unresolved = false;
	it->moves_to = to;
	if (is_moving(it))
		leave_line(s, server);
	if (it->pace.busy == 0)
		it->address = to; /* invariant (4) */
	rekey(s, server);
	return 0;
}

/* ---- orders ---- */

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

/* Its address is to be asked for, once. */
static int ask_for(struct servers *s, uint32_t server)
{
	struct server *it = at(s, server);
	int rc;

	if (!it->unresolved || it->asked_for)
		return 0;
	rc = queues_push(&s->queues, &s->unresolved, (struct queue_item){0, server});
	it->asked_for = rc == 0;
	return rc;
}

/* An order was added to the server's queue. */
static void note_held(struct servers *s, uint32_t server)
{
	struct server *it = at(s, server);

	s->held++;
	if (it->held.len > 1)
		return;
	give_turn(s, it);
	rekey(s, server);
}

/* It has waited longest. */
static void go_first(struct servers *s, uint32_t server)
{
	at(s, server)->since = -INFINITY;
	rekey(s, server);
}

int servers_hold(struct servers *s, uint32_t server, uint32_t client, uint64_t tag)
{
	struct server *it = at(s, server);
	int rc = ask_for(s, server);

	if (rc == 0)
		rc = queues_push(&s->queues, &it->held, (struct queue_item){tag, client});
	if (rc == 0)
		note_held(s, server);
	return rc;
}

int servers_hold_first(struct servers *s, uint32_t server, uint32_t client, uint64_t tag)
{
	struct server *it = at(s, server);
	int rc = ask_for(s, server);

	if (rc == 0)
		rc = queues_push_first(&s->queues, &it->held, (struct queue_item){tag, client});
	if (rc)
		return rc;
	note_held(s, server);
	go_first(s, server);
	return 0;
}

void servers_hurry(struct servers *s, uint32_t server, uint32_t client, uint64_t tag)
{
	if (queues_hurry(&s->queues, &at(s, server)->held, (struct queue_item){tag, client}))
		go_first(s, server);
}

/* The server whose turn is next, in a line or not; false when there is none. */
static bool peek(const struct servers *s, uint32_t *ret_server, double *ret_when)
{
	struct heap_key ready, line;
	uint32_t server, address;
	bool any = heap_peek(&s->ready, &server, &ready);

	if (heap_peek(&s->lines, &address, &line) &&
		(!any || line.key < ready.key || (line.key == ready.key && line.seq < ready.seq))) {
		server = s->addresses.ptr[address].first - 1;
		ready = line;
		any = true;
	}
	if (any) {
		*ret_server = server;
		*ret_when = ready.key;
	}
	return any;
}

/* Whether a server that could start itself must wait for its address. */
static bool must_line_up(struct servers *s, const struct server *it, double now)
{
	const struct server_address *a = address_of(s, it);

	return a && !it->in_line && (a->first != 0 || address_ready(a) > now);
}

/* Whether the other lanes let a request of the server start; else it is known when to ask again. */
static bool ask_others(struct servers *s, uint32_t server, double now)
{
	struct server *it = &s->list.ptr[server];
	struct server_address *a = address_of(s, it);

	if (it->shared && !shared_pace_begin(it->shared, now, it->pace.rule.jobs, &it->barred)) {
		rekey(s, server);
		return false;
	}
	if (!a || !a->shared || shared_pace_begin(a->shared, now, a->pace.rule.jobs, &a->barred))
		return true;
	if (it->shared)
		shared_pace_end(it->shared, -INFINITY);
	if (it->in_line)
		rekey_line(s, it->address);
	else
		join_line(s, server);
	return false;
}

static void begin(struct servers *s, uint32_t server, double now)
{
	struct server *it = &s->list.ptr[server];
	struct server_address *a = address_of(s, it);

	pace_begin(&it->pace, now);
	if (a)
		pace_begin(&a->pace, now);
	s->busy++;
	give_turn(s, it);
	leave_line(s, server);
	rekey(s, server);
	if (a)
		rekey_line(s, it->address);
}

bool servers_take(struct servers *s, double now, uint32_t *ret_client, uint64_t *ret_tag)
{
	struct queue_item item = {0};
	uint32_t server;
	double when;

	advance(s, now);
	while (peek(s, &server, &when) && when <= now) {
		struct server *it = &s->list.ptr[server];
		bool any;

		if (must_line_up(s, it, now)) {
			join_line(s, server);
			continue;
		}
		if (!ask_others(s, server, now))
			continue;
		any = queues_pop(&s->queues, &it->held, &item);
		assert(any);
		(void)any;
		s->held--;
		begin(s, server, now);
		*ret_client = item.host;
		*ret_tag = item.tag;
		return true;
	}
	return false;
}

double servers_next_ready(const struct servers *s)
{
	uint32_t server;
	double when;

	return peek(s, &server, &when) ? when : INFINITY;
}

/*
 * To the address only the pause matters: who asks for more, or fails, is the server, and others at
 * the address are not to pay for it.
 */
static void end_at_address(
	struct servers *s, struct server *it, double response, enum pace_outcome outcome)
{
	struct server_address *a = address_of(s, it);
	bool answered = outcome == PACE_ANSWERED || outcome == PACE_REFUSED;

	if (!a)
		return;
	pace_end(&a->pace, s->now, response, answered ? PACE_ANSWERED : PACE_UNKNOWN, 0);
	if (a->shared)
		shared_pace_end(a->shared, pace_rest(&a->pace, s->now));
	rekey_line(s, it->address);
}

static void undo_at_address(struct servers *s, struct server *it)
{
	struct server_address *a = address_of(s, it);

	if (!a)
		return;
	pace_undo(&a->pace);
	if (a->shared)
		shared_pace_end(a->shared, s->now);
	rekey_line(s, it->address);
}

/* A request less is under way: invariant (4). Who moves is in no line. */
static void settle(struct servers *s, uint32_t server)
{
	struct server *it = at(s, server);

	s->busy--;
	if (it->pace.busy == 0)
		it->address = it->moves_to;
	rekey(s, server);
}

void servers_undo(struct servers *s, uint32_t server)
{
	struct server *it = at(s, server);

	pace_undo(&it->pace);
	if (it->shared)
		shared_pace_end(it->shared, s->now);
	undo_at_address(s, it);
	settle(s, server);
}

void servers_done(struct servers *s, uint32_t server, double now, double response_seconds,
	enum pace_outcome outcome)
{
	struct server *it = at(s, server);

	advance(s, now);
	pace_end(&it->pace, now, response_seconds, outcome, rng_double(&s->rng));
	if (it->shared)
		shared_pace_end(it->shared, pace_rest(&it->pace, now));
	end_at_address(s, it, response_seconds, outcome);
	settle(s, server);
}

bool servers_drop(struct servers *s, uint32_t server, uint32_t client, uint64_t *ret_tag)
{
	if (!queues_take(&s->queues, &at(s, server)->held, client, ret_tag))
		return false;
	s->held--;
	rekey(s, server);
	return true;
}

void servers_set_delay(struct servers *s, uint32_t server, double delay, bool automatic)
{
	struct server_address *address = address_of(s, at(s, server));

	pace_set_delay(&at(s, server)->pace, delay, automatic);
	if (address)
		pace_set_delay(&address->pace, delay, automatic);
	rekey(s, server);
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
