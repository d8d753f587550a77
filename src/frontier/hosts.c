/*
 * Invariants:
 *  (1) The heap holds exactly the servers with held orders, each under key(): a server whose jobs
 *      are all busy under INFINITY. Whatever changes a pace calls rekey.
 *  (2) A server's key is never before its last turn, so a server that is always ready has its turn
 *      after those that have waited longer: nothing starves.
 */
#include "frontier/hosts.h"

#include <assert.h>
#include <math.h>

#include "base/err.h"

/* Of all names; ten million hosts have a tenth of it. */
#define NAMES_MAX ((size_t)4 << 30)

void hosts_init(struct hosts *h, struct pace_rule rule, struct hash_key key)
{
	*h = (struct hosts){.rule = rule, .now = -INFINITY};
	arena_init(&h->names, NAMES_MAX);
	buf_init(&h->scratch, URL_MAX);
	strmap_init(&h->by_origin, key, NULL);
	strmap_init(&h->by_server, key, NULL);
	heap_init(&h->ready);
}

void hosts_release(struct hosts *h)
{
	for (size_t i = 0; i < h->servers.len; i++)
		pace_release(&h->servers.ptr[i].pace);
	host_server_vec_release(&h->servers);
	host_vec_release(&h->list);
	queues_release(&h->queues);
	heap_release(&h->ready);
	strmap_release(&h->by_origin);
	strmap_release(&h->by_server);
	buf_release(&h->scratch);
	arena_release(&h->names);
	*h = (struct hosts){0};
}

/* ---- finding ---- */

static int write_origin(struct buf *out, const struct url *url)
{
	slice host = url_part(url, url->host);

	buf_reset(out);
	return buf_printf(out, "%s://%.*s:%d", url->scheme_id == URL_HTTPS ? "https" : "http",
		(int)host.len, host.ptr, (int)url_effective_port(url));
}

/* The name alone stands for both of its usual ports. */
static int write_server(struct buf *out, const struct url *url)
{
	slice host = url_part(url, url->host);

	buf_reset(out);
	if (url_effective_port(url) == url_default_port(url->scheme_id))
		return buf_add(out, host);
	return buf_printf(out, "%.*s:%d", (int)host.len, host.ptr, (int)url_effective_port(url));
}

/* Adds a name to a map with the number it will have; *ret_name is the copy that lasts. */
static int add_name(struct hosts *h, struct strmap *map, size_t number, slice *ret_name)
{
	slice name = buf_slice(&h->scratch);

	name.ptr = arena_strdup(&h->names, name);
	if (!name.ptr)
		return ERR_NOMEM;
	*ret_name = name;
	return strmap_put(map, name, (uint32_t)number);
}

static int add_server(struct hosts *h, uint32_t *ret_server)
{
	struct host_server server = {0};
	slice name;
	int rc;

	rc = host_server_vec_reserve(&h->servers, 1);
	if (rc == 0)
		rc = heap_reserve(&h->ready, h->servers.len + 1);
	if (rc == 0)
		rc = pace_init(&server.pace, h->rule);
	if (rc)
		return rc;
	rc = add_name(h, &h->by_server, h->servers.len, &name);
	if (rc) {
		pace_release(&server.pace);
		return rc;
	}
	*ret_server = (uint32_t)h->servers.len;
	h->servers.ptr[h->servers.len++] = server;
	return 0;
}

static int find_server(struct hosts *h, const struct url *url, uint32_t *ret_server)
{
	int rc = write_server(&h->scratch, url);

	if (rc)
		return rc;
	if (strmap_get(&h->by_server, buf_slice(&h->scratch), ret_server))
		return 0;
	return add_server(h, ret_server);
}

/* The origin's name is in the scratch buffer. A server without origin, left by an error, is idle.
 */
static int add_host(struct hosts *h, const struct url *url, uint32_t *ret_host)
{
	struct host host = {.robots = HOST_ROBOTS_UNKNOWN};
	int rc;

	if (h->list.len >= HOSTS_MAX)
		return ERR_LIMIT;
	rc = find_server(h, url, &host.pace_index);
	if (rc == 0)
		rc = host_vec_reserve(&h->list, 1);
	if (rc == 0)
		rc = write_origin(&h->scratch, url);
	if (rc == 0)
		rc = add_name(h, &h->by_origin, h->list.len, &host.origin);
	if (rc)
		return rc;
	*ret_host = (uint32_t)h->list.len;
	h->list.ptr[h->list.len++] = host;
	return 0;
}

int hosts_find(struct hosts *h, const struct url *url, uint32_t *ret_host)
{
	int rc;

	if (!url_is_http(url))
		return ERR_UNSUPPORTED;
	rc = write_origin(&h->scratch, url);
	if (rc)
		return rc;
	if (strmap_get(&h->by_origin, buf_slice(&h->scratch), ret_host))
		return 0;
	return add_host(h, url, ret_host);
}

struct host *hosts_at(struct hosts *h, uint32_t host)
{
	assert(host < h->list.len);
	return &h->list.ptr[host];
}

static struct host_server *server_of(struct hosts *h, uint32_t host)
{
	return &h->servers.ptr[hosts_at(h, host)->pace_index];
}

const struct pace *hosts_pace(const struct hosts *h, uint32_t host)
{
	assert(host < h->list.len);
	return &h->servers.ptr[h->list.ptr[host].pace_index].pace;
}

size_t hosts_held_for(const struct hosts *h, uint32_t host)
{
	assert(host < h->list.len);
	return h->servers.ptr[h->list.ptr[host].pace_index].held.len;
}

/* ---- orders ---- */

static struct heap_key key(const struct host_server *s)
{
	return (struct heap_key){fmax(pace_ready(&s->pace), s->since), s->turn};
}

/* Brings the heap up to date with a server that is or was in it. */
static void rekey(struct hosts *h, uint32_t index)
{
	struct host_server *s = &h->servers.ptr[index];

	if (s->held.len == 0)
		(void)heap_remove(&h->ready, index);
	else
		(void)heap_update(&h->ready, index, key(s));
}

static void advance(struct hosts *h, double now)
{
	h->now = fmax(h->now, now);
}

/* The server goes behind all that are waiting. */
static void give_turn(struct hosts *h, struct host_server *s)
{
	s->since = h->now;
	s->turn = h->turns++;
}

int hosts_hold(struct hosts *h, uint32_t host, uint64_t tag)
{
	struct host_server *s = server_of(h, host);
	int rc = queues_push(&h->queues, &s->held, (struct queue_item){tag, host});

	if (rc)
		return rc;
	h->held++;
	if (s->held.len > 1)
		return 0;
	give_turn(h, s);
	rc = heap_push(&h->ready, h->list.ptr[host].pace_index, key(s));
	assert(rc == 0); /* hosts_find made room */
	return rc;
}

/* The oldest order of a server that has one. */
static void pop(struct hosts *h, struct host_server *s, uint32_t *ret_host, uint64_t *ret_tag)
{
	struct queue_item item = {0};
	bool any = queues_pop(&h->queues, &s->held, &item);

	assert(any);
	(void)any;
	h->held--;
	*ret_host = item.host;
	*ret_tag = item.tag;
}

bool hosts_take(struct hosts *h, double now, uint32_t *ret_host, uint64_t *ret_tag)
{
	struct host_server *s;
	struct heap_key first;
	uint32_t index;

	advance(h, now);
	if (!heap_peek(&h->ready, &index, &first) || first.key > now)
		return false;
	s = &h->servers.ptr[index];
	pop(h, s, ret_host, ret_tag);
	pace_begin(&s->pace, now);
	h->busy++;
	give_turn(h, s);
	rekey(h, index);
	return true;
}

double hosts_next_ready(const struct hosts *h)
{
	struct heap_key first;
	uint32_t index;

	return heap_peek(&h->ready, &index, &first) ? first.key : INFINITY;
}

void hosts_done(struct hosts *h, uint32_t host, double now, double response_seconds, bool failed)
{
	advance(h, now);
	h->busy--;
	pace_end(&server_of(h, host)->pace, now, response_seconds, failed);
	rekey(h, h->list.ptr[host].pace_index);
}

bool hosts_drop(struct hosts *h, uint32_t *ret_host, uint64_t *ret_tag)
{
	uint32_t index;

	if (!heap_peek(&h->ready, &index, NULL))
		return false;
	pop(h, &h->servers.ptr[index], ret_host, ret_tag);
	rekey(h, index);
	return true;
}

void hosts_set_crawl_delay(struct hosts *h, uint32_t host, double seconds)
{
	pace_set_crawl_delay(&server_of(h, host)->pace, seconds);
	rekey(h, h->list.ptr[host].pace_index);
}

void hosts_retry_after(struct hosts *h, uint32_t host, double now, double seconds)
{
	advance(h, now);
	pace_retry_after(&server_of(h, host)->pace, now, seconds);
	rekey(h, h->list.ptr[host].pace_index);
}

/* ---- pages that wait for robots.txt ---- */

int hosts_pend(struct hosts *h, uint32_t host, uint32_t page)
{
	int rc = queues_push(
		&h->queues, &hosts_at(h, host)->pending, (struct queue_item){page, host});

	if (rc == 0)
		h->pending++;
	return rc;
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
