#include "net/servers.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- queues ---- */

void queues_release(struct queues *pool)
{
	queue_nodes_release(&pool->nodes);
	*pool = (struct queues){0};
}

/* A node off the list of unused ones, or a new one: its index plus one. */
static uint32_t new_node(struct queues *pool, struct queue_item item, uint32_t next)
{
	uint32_t node = pool->unused;

	if (node) {
		pool->unused = pool->nodes.ptr[node - 1].next;
	} else {
		if (pool->nodes.len >= UINT32_MAX)
			mem_end(); /* they have 64 GiB */
		queue_nodes_push(&pool->nodes, (struct queue_node){0});
		node = (uint32_t)pool->nodes.len;
	}
	pool->nodes.ptr[node - 1] =
		(struct queue_node){.tag = item.tag, .host = item.host, .next = next};
	return node;
}

void queues_push(struct queues *pool, struct queue *q, struct queue_item item)
{
	uint32_t node = new_node(pool, item, 0);

	if (q->last)
		pool->nodes.ptr[q->last - 1].next = node;
	else
		q->first = node;
	q->last = node;
	q->len++;
}

void queues_push_first(struct queues *pool, struct queue *q, struct queue_item item)
{
	uint32_t node = new_node(pool, item, q->first);

	if (!q->last)
		q->last = node;
	q->first = node;
	q->len++;
}

/* Takes a node out, which follows another one or is the first (before is 0). */
static struct queue_item take_out(
	struct queues *pool, struct queue *q, uint32_t before, uint32_t node)
{
	struct queue_node *n = &pool->nodes.ptr[node - 1];

	*(before ? &pool->nodes.ptr[before - 1].next : &q->first) = n->next;
	if (q->last == node)
		q->last = before;
	q->len--;
	n->next = pool->unused;
	pool->unused = node;
	return (struct queue_item){n->tag, n->host};
}

bool queues_pop(struct queues *pool, struct queue *q, struct queue_item *ret)
{
	if (!q->first)
		return false;
	*ret = take_out(pool, q, 0, q->first);
	return true;
}

bool queues_hurry(struct queues *pool, struct queue *q, struct queue_item item)
{
	uint32_t before = 0, node = q->first;

	while (node && (pool->nodes.ptr[node - 1].tag != item.tag ||
			       pool->nodes.ptr[node - 1].host != item.host)) {
		before = node;
		node = pool->nodes.ptr[node - 1].next;
	}
	if (!node)
		return false;
	(void)take_out(pool, q, before, node);
	queues_push_first(pool, q, item); /* in the node that is free now */
	return true;
}

/* Takes the oldest of this host, wherever it is, and tells its tag. Walks along the queue. */
static bool queues_take(struct queues *pool, struct queue *q, uint32_t host, uint64_t *ret_tag)
{
	uint32_t before = 0, node = q->first;

	while (node && pool->nodes.ptr[node - 1].host != host) {
		before = node;
		node = pool->nodes.ptr[node - 1].next;
	}
	if (!node)
		return false;
	*ret_tag = take_out(pool, q, before, node).tag;
	return true;
}

/* ---- servers ---- */

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

/* Of all names; ten million servers have a tenth of it. */
#define NAMES_MAX ((size_t)4 << 30)

enum { ADDRESS_MAX = 96 }; /* bytes of one with its port */

void servers_init(
	struct servers *s, struct pace_rule rule, struct shared_paces *shared, struct hash_key key)
{
	*s = (struct servers){.rule = rule, .shared = shared, .now = -INFINITY};
	arena_init(&s->names, NAMES_MAX);
	strmap_init(&s->by_name, key, &s->names);
	strmap_init(&s->by_address, key, &s->names);
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

uint32_t servers_find(struct servers *s, slice name)
{
	uint32_t number = (uint32_t)s->list.len;
	struct server server = {.barred = -INFINITY,
		.address = SERVER_NO_ADDRESS,
		.moves_to = SERVER_NO_ADDRESS,
		.unresolved = s->wants_addresses};

	if (strmap_get(&s->by_name, name, &number))
		return number;
	(void)strmap_add(&s->by_name, name, number);
	server.name = strmap_newest(&s->by_name);
	pace_init(&server.pace, s->rule);
	if (s->shared)
		server.shared = shared_paces_join(s->shared, name);
	server_vec_push(&s->list, server);
	return number;
}

static struct server *at(struct servers *s, uint32_t server)
{
	assert(server < s->list.len);
	return &s->list.ptr[server];
}

/* To be looked at only; valid until the next servers_find. */
static const struct pace *servers_pace(const struct servers *s, uint32_t server)
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

	assert(s->addresses.ptr && address < s->addresses.len);
	if (a->first == 0) {
		(void)heap_remove(&s->lines, address);
		return;
	}
	first = key(&s->list.ptr[a->first - 1]);
	first.key = fmax(first.key, address_ready(a));
	heap_set(&s->lines, address, first);
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

	if (it->in_line && it->held.len > 0 && key(it).key <= s->now)
		return; /* it keeps its place */
	leave_line(s, server);
	if (it->held.len == 0)
		(void)heap_remove(&s->ready, server);
	else
		heap_set(&s->ready, server, key(it));
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

/* What stands behind the host in a server's name: ":8080", or nothing for the usual ports. */
static slice port_of(slice name)
{
	size_t end = name.len;

	while (end > 0 && name.ptr[end - 1] != ':' && name.ptr[end - 1] != ']')
		end--;
	return end > 0 && name.ptr[end - 1] == ':' ? slice_sub(name, end - 1, name.len) : SLICE("");
}

/* The number of an address at the server's port. No server's name has a blank in it. */
static uint32_t find_address(struct servers *s, const struct server *it, slice text)
{
	struct server_address a = {.barred = -INFINITY};
	uint32_t number = (uint32_t)s->addresses.len;
	slice port = port_of(it->name);
	char name[ADDRESS_MAX];
	int len = snprintf(
		name, sizeof name, "%.*s %.*s", (int)text.len, text.ptr, (int)port.len, port.ptr);
	slice whole = {name, (size_t)len < sizeof name ? (size_t)len : sizeof name - 1};

	if (strmap_get(&s->by_address, whole, &number))
		return number;
	/* A name may lead somewhere else every minute, for weeks. */
	if (s->addresses.len >= SERVERS_ADDRESSES_MAX + 2 * s->list.len)
		return SERVER_NO_ADDRESS;
	/* The address is owed the pause of the server that leads to it first. */
	pace_init(&a.pace, it->pace.rule);
	if (s->shared)
		a.shared = shared_paces_join(s->shared, whole);
	(void)strmap_add(&s->by_address, whole, number);
	server_address_vec_push(&s->addresses, a);
	return number;
}

void servers_set_address(struct servers *s, uint32_t server, slice address)
{
	struct server *it = at(s, server);
	uint32_t to = address.len > 0 ? find_address(s, it, address) : SERVER_NO_ADDRESS;

	it->unresolved = false;
	it->moves_to = to;
	if (is_moving(it))
		leave_line(s, server);
	if (it->pace.busy == 0)
		it->address = to; /* invariant (4) */
	rekey(s, server);
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

/* An order was added to the server's queue. */
static void note_held(struct servers *s, uint32_t server)
{
	struct server *it = at(s, server);

	if (it->unresolved && !it->asked_for) {
		queues_push(&s->queues, &s->unresolved, (struct queue_item){0, server});
		it->asked_for = true;
	}
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

void servers_hold(struct servers *s, uint32_t server, uint32_t client, uint64_t tag)
{
	queues_push(&s->queues, &at(s, server)->held, (struct queue_item){tag, client});
	note_held(s, server);
}

void servers_hold_first(struct servers *s, uint32_t server, uint32_t client, uint64_t tag)
{
	queues_push_first(&s->queues, &at(s, server)->held, (struct queue_item){tag, client});
	note_held(s, server);
	go_first(s, server);
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

	if (it->shared && !shared_pace_begin(it->shared, s, now, it->pace.rule.jobs, &it->barred)) {
		rekey(s, server);
		return false;
	}
	if (!a || !a->shared || shared_pace_begin(a->shared, s, now, a->pace.rule.jobs, &a->barred))
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

/* A request less is under way: invariant (4). Who moves is in no line. */
static void settle(struct servers *s, uint32_t server)
{
	struct server *it = at(s, server);

	s->busy--;
	if (it->pace.busy == 0)
		it->address = it->moves_to;
	rekey(s, server);
}

/* The order that servers_take has just given is not carried out: its server is as it was. */
static void servers_undo(struct servers *s, uint32_t server)
{
	struct server *it = at(s, server);
	struct server_address *a = address_of(s, it);

	pace_undo(&it->pace);
	if (it->shared)
		shared_pace_end(it->shared, s->now);
	if (a) {
		pace_undo(&a->pace);
		if (a->shared)
			shared_pace_end(a->shared, s->now);
		rekey_line(s, it->address);
	}
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

/*
 * Takes the oldest order that a client holds for the server, ready or not, and does not count it as
 * started: for giving up. Costs a walk along the server's queue.
 */
static bool servers_drop(struct servers *s, uint32_t server, uint32_t client, uint64_t *ret_tag)
{
	if (!queues_take(&s->queues, &at(s, server)->held, client, ret_tag))
		return false;
	s->held--;
	rekey(s, server);
	return true;
}

/* As pace_set_delay, of the server and of its address, which others may share. */
static void servers_set_delay(struct servers *s, uint32_t server, double delay, bool automatic)
{
	struct server_address *address = address_of(s, at(s, server));

	pace_set_delay(&at(s, server)->pace, delay, automatic);
	if (address)
		pace_set_delay(&address->pace, delay, automatic);
	rekey(s, server);
}

static void servers_set_crawl_delay(struct servers *s, uint32_t server, double seconds)
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

/* ---- hosts ---- */

void hosts_init(struct hosts *h, struct servers *servers, uint32_t client, struct hash_key key)
{
	*h = (struct hosts){.servers = servers, .client = client};
	arena_init_small(&h->names, NAMES_MAX);
	buf_init(&h->scratch, URL_MAX);
	strmap_init(&h->by_origin, key, &h->names);
	strmap_init(&h->by_server, key, NULL); /* parts of the origins' */
}

void hosts_release(struct hosts *h)
{
	host_server_vec_release(&h->asked);
	host_vec_release(&h->list);
	queues_release(&h->queues);
	strmap_release(&h->by_origin);
	strmap_release(&h->by_server);
	buf_release(&h->scratch);
	arena_release(&h->names);
	*h = (struct hosts){0};
}

/* ---- finding ---- */

static int write_origin(struct buf *out, const struct url *url)
{
	buf_reset(out);
	TRY(buf_add_str(out, url->scheme_id == URL_HTTPS ? "https://" : "http://"));
	TRY(buf_add(out, url_part(url, url->host)));
	return url_add_port(out, url_effective_port(url));
}

/* The name alone stands for both of its usual ports. It is a part of the origin's. */
static slice server_name(slice origin, const struct url *url)
{
	size_t start = url->scheme_id == URL_HTTPS ? strlen("https://") : strlen("http://");
	size_t end = origin.len;

	if (url_effective_port(url) == url_default_port(url->scheme_id))
		end = start + url_part(url, url->host).len;
	return slice_sub(origin, start, end);
}

int hosts_find(struct hosts *h, const struct url *url, uint32_t *ret_host)
{
	struct host host = {.robots = HOST_ROBOTS_UNKNOWN, .server = (uint32_t)h->asked.len};
	slice server;

	if (!url_is_http(url))
		return ERR_UNSUPPORTED;
	TRY(write_origin(&h->scratch, url));
	if (strmap_get(&h->by_origin, buf_slice(&h->scratch), ret_host))
		return 0;
	if (h->list.len >= HOSTS_MAX || arena_full(&h->names))
		return ERR_LIMIT;

	*ret_host = (uint32_t)h->list.len;
	(void)strmap_add(&h->by_origin, buf_slice(&h->scratch), *ret_host);
	host.origin = strmap_newest(&h->by_origin);
	server = server_name(host.origin, url);
	if (!strmap_get(&h->by_server, server, &host.server)) {
		(void)strmap_add(&h->by_server, server, host.server);
		host_server_vec_push(&h->asked,
			(struct host_server){.number = servers_find(h->servers, server)});
	}
	host_vec_push(&h->list, host);
	return 0;
}

struct host *hosts_at(struct hosts *h, uint32_t host)
{
	assert(host < h->list.len);
	return &h->list.ptr[host];
}

static struct host_server *server_of(struct hosts *h, uint32_t host)
{
	return &h->asked.ptr[hosts_at(h, host)->server];
}

const struct pace *hosts_pace(const struct hosts *h, uint32_t host)
{
	assert(host < h->list.len);
	return servers_pace(h->servers, h->asked.ptr[h->list.ptr[host].server].number);
}

/* ---- orders ---- */

void hosts_hold(struct hosts *h, uint32_t host, uint64_t tag)
{
	struct host_server *s = server_of(h, host);

	servers_hold(h->servers, s->number, h->client, tag);
	h->held++;
	s->held++;
}

void hosts_hold_first(struct hosts *h, uint32_t host, uint64_t tag)
{
	struct host_server *s = server_of(h, host);

	servers_hold_first(h->servers, s->number, h->client, tag);
	h->held++;
	s->held++;
}

void hosts_hurry(struct hosts *h, uint32_t host, uint64_t tag)
{
	servers_hurry(h->servers, server_of(h, host)->number, h->client, tag);
}

/* One order less that waits. */
static void let_go(struct hosts *h, struct host_server *s)
{
	assert(s->held > 0);
	s->held--;
	h->held--;
}

void hosts_started(struct hosts *h, uint32_t host)
{
	let_go(h, server_of(h, host));
}

void hosts_done(struct hosts *h, uint32_t host, double now, double response_seconds,
	enum pace_outcome outcome)
{
	servers_done(h->servers, server_of(h, host)->number, now, response_seconds, outcome);
}

void hosts_undo(struct hosts *h, uint32_t host)
{
	servers_undo(h->servers, server_of(h, host)->number);
}

bool hosts_drop(struct hosts *h, uint64_t *ret_tag)
{
	for (size_t i = 0; h->held > 0 && i < h->asked.len; i++) {
		struct host_server *s = &h->asked.ptr[i];

		if (s->held == 0)
			continue;
		let_go(h, s);
		return servers_drop(h->servers, s->number, h->client, ret_tag);
	}
	return false;
}

bool hosts_drop_from(struct hosts *h, uint32_t host, uint64_t *ret_tag)
{
	struct host_server *s = server_of(h, host);

	if (s->held == 0)
		return false;
	let_go(h, s);
	return servers_drop(h->servers, s->number, h->client, ret_tag);
}

void hosts_set_delay(struct hosts *h, uint32_t host, double delay, bool automatic)
{
	servers_set_delay(h->servers, server_of(h, host)->number, delay, automatic);
}

void hosts_set_crawl_delay(struct hosts *h, uint32_t host, double seconds)
{
	servers_set_crawl_delay(h->servers, server_of(h, host)->number, seconds);
}

void hosts_retry_after(struct hosts *h, uint32_t host, double now, double seconds)
{
	servers_retry_after(h->servers, server_of(h, host)->number, now, seconds);
}

void hosts_set_address(struct hosts *h, uint32_t host, slice address)
{
	servers_set_address(h->servers, server_of(h, host)->number, address);
}

/* ---- pages that wait for robots.txt ---- */

void hosts_pend(struct hosts *h, uint32_t host, uint32_t page)
{
	queues_push(&h->queues, &hosts_at(h, host)->pending, (struct queue_item){page, host});
	h->pending++;
}

bool hosts_take_pending(struct hosts *h, uint32_t host, uint32_t *ret_page)
{
	struct queue_item item;

	if (!queues_pop(&h->queues, &hosts_at(h, host)->pending, &item))
		return false;
	h->pending--;
	*ret_page = (uint32_t)item.tag;
	return true;
}
