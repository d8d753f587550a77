#include "frontier/hosts.h"

#include <assert.h>

#include "base/err.h"

/* Of all names; ten million hosts have a tenth of it. */
#define NAMES_MAX ((size_t)4 << 30)

void hosts_init(struct hosts *h, struct servers *servers, uint32_t client, struct hash_key key)
{
	*h = (struct hosts){.servers = servers, .client = client};
	arena_init_small(&h->names, NAMES_MAX);
	buf_init(&h->scratch, URL_MAX);
	strmap_init(&h->by_origin, key, NULL);
	strmap_init(&h->by_server, key, NULL);
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
	slice host = url_part(url, url->host);

	buf_reset(out);
	return buf_printf(out, "%s://%.*s:%d", url->scheme_id == URL_HTTPS ? "https" : "http",
		(int)host.len, host.ptr, (int)url_effective_port(url));
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

/* The place of a server, by a name that lasts. A server without origin, left by an error, is idle.
 */
static int find_server(struct hosts *h, slice name, uint32_t *ret_place)
{
	struct host_server server = {0};
	int rc;

	if (strmap_get(&h->by_server, name, ret_place))
		return 0;
	rc = host_server_vec_reserve(&h->asked, 1);
	if (rc == 0)
		rc = servers_find(h->servers, name, &server.number);
	if (rc == 0)
		rc = strmap_put(&h->by_server, name, (uint32_t)h->asked.len);
	if (rc)
		return rc;
	*ret_place = (uint32_t)h->asked.len;
	h->asked.ptr[h->asked.len++] = server;
	return 0;
}

/* The origin's name is in the scratch buffer. */
static int add_host(struct hosts *h, const struct url *url, uint32_t *ret_host)
{
	struct host host = {.robots = HOST_ROBOTS_UNKNOWN};
	slice name = buf_slice(&h->scratch);
	int rc;

	if (h->list.len >= HOSTS_MAX)
		return ERR_LIMIT;
	name.ptr = arena_strdup(&h->names, name);
	rc = name.ptr ? host_vec_reserve(&h->list, 1) : ERR_NOMEM;
	if (rc == 0)
		rc = find_server(h, server_name(name, url), &host.server);
	if (rc == 0)
		rc = strmap_put(&h->by_origin, name, (uint32_t)h->list.len);
	if (rc)
		return rc;
	host.origin = name;
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
	return &h->asked.ptr[hosts_at(h, host)->server];
}

const struct pace *hosts_pace(const struct hosts *h, uint32_t host)
{
	assert(host < h->list.len);
	return servers_pace(h->servers, h->asked.ptr[h->list.ptr[host].server].number);
}

/* ---- orders ---- */

/* One more order that waits. */
static void note_held(struct hosts *h, struct host_server *s)
{
	h->held++;
	s->held++;
}

int hosts_hold(struct hosts *h, uint32_t host, uint64_t tag)
{
	struct host_server *s = server_of(h, host);
	int rc = servers_hold(h->servers, s->number, h->client, tag);

	if (rc == 0)
		note_held(h, s);
	return rc;
}

int hosts_hold_first(struct hosts *h, uint32_t host, uint64_t tag)
{
	struct host_server *s = server_of(h, host);
	int rc = servers_hold_first(h->servers, s->number, h->client, tag);

	if (rc == 0)
		note_held(h, s);
	return rc;
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

int hosts_set_address(struct hosts *h, uint32_t host, slice address)
{
	return servers_set_address(h->servers, server_of(h, host)->number, address);
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
