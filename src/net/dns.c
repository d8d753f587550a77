#include "net/dns.h"

#include <ares.h>
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "net/wire.h"

/* ---- what is known ---- */

void dns_cache_init(struct dns_cache *c, size_t max)
{
	*c = (struct dns_cache){.key = hash_key_random(), .max = max};
	c->buckets = mem_new(DNS_CACHE_BUCKETS, sizeof(struct dns_name *));
}

static void dns_answer_release(struct dns_answer *a)
{
	free(a->list);
	free(a->records);
	*a = (struct dns_answer){0};
}

static void free_name(struct dns_name *n)
{
	assert(!n->waiters.first);
	dns_answer_release(&n->answer);
	free(n);
}

void dns_cache_release(struct dns_cache *c)
{
	for (size_t i = 0; c->buckets && i < DNS_CACHE_BUCKETS; i++) {
		struct dns_name *n = c->buckets[i], *next;

		for (; n; n = next) {
			next = n->chain;
			free_name(n);
		}
	}
	free((void *)c->buckets);
	*c = (struct dns_cache){0};
}

static size_t bucket_of(const struct dns_cache *c, slice name)
{
	return hash_bytes(c->key, name) % DNS_CACHE_BUCKETS;
}

struct dns_name *dns_cache_find(const struct dns_cache *c, slice name)
{
	struct dns_name *n = c->buckets[bucket_of(c, name)];

	while (n && !slice_eq(slice_str(n->text), name))
		n = n->chain;
	return n;
}

struct dns_name *dns_cache_add(struct dns_cache *c, slice name)
{
	struct dns_name *n = mem_new(1, sizeof *n + name.len + 1);

	memcpy(n->text, name.ptr, name.len);
	n->bucket = bucket_of(c, name);
	n->chain = c->buckets[n->bucket];
	c->buckets[n->bucket] = n;
	return n;
}

static void forget(struct dns_cache *c, struct dns_name *n)
{
	struct dns_name **at = &c->buckets[n->bucket];

	while (*at != n)
		at = &(*at)->chain;
	*at = n->chain;
	dns_list_remove(n);
	free_name(n);
}

void dns_cache_move(struct dns_cache *c, struct dns_name *n, struct dns_list *to)
{
	dns_list_append(to, n);
	if (c->known.len > c->max)
		forget(c, c->known.first);
}

/* Puts this address before the others, if it is there. */
static void dns_answer_prefer(struct dns_answer *a, const struct address *address)
{
	size_t i = 0;

	while (i < a->count && !address_equal(&a->list[i], address))
		i++;
	if (i == a->count)
		return;
	memmove(a->list + 1, a->list, i * sizeof *a->list);
	a->list[0] = *address;
}

/* ---- asking ---- */

enum {
	TIMEOUT_MS = 2000, /* of the first try; the next has twice that */
	TRIES = 3,
	US_PER_SECOND = 1000000,
	NS_PER_US = 1000,
	RECORDS_MAX = 64 << 10,
};

struct dns {
	ares_channel channel;
	struct dns_params params;
	struct dns_cache cache;
};

/* ---- waiters ---- */

LIST_DEFINE(dns_waiters, struct dns_waiter)

void dns_leave(struct dns_waiter *w)
{
	dns_waiters_remove(w);
}

static int64_t now(const struct dns *d)
{
	return clock_monotonic(d->params.clock);
}

/* The name has its answer: all who waited get it. */
static void settle(struct dns *d, struct dns_name *n, double ttl)
{
	struct dns_waiter *w;

	n->expires = now(d) + (int64_t)(ttl * (double)CLOCK_NS_PER_SECOND);
	n->answer.date = clock_realtime(d->params.clock);
	dns_cache_move(&d->cache, n, &d->cache.known);
	while ((w = n->waiters.first)) {
		dns_leave(w);
		w->answered(w, &n->answer);
	}
}

/* ---- answers ---- */

static const char *sentence(int status)
{
	switch (status) {
	case ARES_ENOTFOUND:
		return "there is no such name";
	case ARES_ENODATA:
		return "the name has no address";
	case ARES_ETIMEOUT:
		return "the DNS server did not answer";
	case ARES_ECONNREFUSED: /* also when all of them say SERVFAIL or REFUSED */
		return "no DNS server could answer";
	case ARES_EBADNAME:
		return "not a valid DNS name";
	case ARES_ENOMEM:
		return "no memory for the answer";
	default:
		return ares_strerror(status);
	}
}

/* Whether it is an answer, if a negative one. */
static bool is_definite(int status)
{
	return status == ARES_ENOTFOUND || status == ARES_ENODATA || status == ARES_EBADNAME;
}

/* Without an answer, for that reason of c-ares. */
static void fail(struct dns_name *n, int status)
{
	dns_answer_release(&n->answer);
	n->answer.failure = NET_FAILURE_DNS;
	n->answer.detail = sentence(status);
	n->answer.no_name = is_definite(status);
	/* c-ares does not tell why it could not ask. */
	if (!n->answer.no_name && sockets_are_short()) {
		n->answer.failure = NET_FAILURE_LOCAL;
		n->answer.detail = "no socket for a question to the DNS";
	}
}

/* Into memory that was zeroed. */
static void copy_addresses(struct dns_answer *a, const struct ares_addrinfo *info)
{
	a->list = mem_new(DNS_ADDRESSES_MAX, sizeof *a->list);
	for (const struct ares_addrinfo_node *i = info->nodes; i; i = i->ai_next)
		if (a->count < DNS_ADDRESSES_MAX &&
			address_of_socket(i->ai_addr, &a->list[a->count]))
			a->count++;
}

static double smallest_ttl(const struct ares_addrinfo *info)
{
	double ttl = DNS_TTL_MAX;

	for (const struct ares_addrinfo_node *i = info->nodes; i; i = i->ai_next)
		ttl = fmin(ttl, i->ai_ttl);
	for (const struct ares_addrinfo_cname *i = info->cnames; i; i = i->next)
		ttl = fmin(ttl, i->ttl);
	return fmax(ttl, DNS_TTL_MIN);
}

/* What can be told of them in the form of a zone file. */
static int write_records(
	struct buf *out, const struct dns_name *n, const struct ares_addrinfo *info)
{
	const char *owner = n->text;
	int rc = 0;

	for (const struct ares_addrinfo_cname *i = info->cnames; rc == 0 && i; i = i->next) {
		rc = buf_printf(out, "%s.\t%d\tIN\tCNAME\t%s.\n", i->alias ? i->alias : owner,
			i->ttl, i->name ? i->name : "");
		owner = i->name ? i->name : owner;
	}
	for (const struct ares_addrinfo_node *i = info->nodes; rc == 0 && i; i = i->ai_next) {
		char text[ADDRESS_TEXT_SIZE];
		struct address a;

		if (!address_of_socket(i->ai_addr, &a))
			continue;
		address_format(&a, text);
		rc = buf_printf(out, "%s.\t%d\tIN\t%s\t%s\n", owner, i->ai_ttl,
			a.size == ADDRESS_V4_SIZE ? "A" : "AAAA", text);
	}
	return rc;
}

/* Too many of them are left out. */
static void copy_records(
	struct dns_answer *a, const struct dns_name *n, const struct ares_addrinfo *info)
{
	BUF_SCOPED(text, RECORDS_MAX);

	if (write_records(&text, n, info) == 0)
		a->records = mem_strdup(buf_slice(&text));
}

/* An answer in place of the old one; the address that was in use stays the first. */
static void take(struct dns *d, struct dns_name *n, const struct ares_addrinfo *info)
{
	struct dns_answer fresh = {0};

	copy_addresses(&fresh, info);
	if (d->params.keep_records)
		copy_records(&fresh, n, info);
	if (fresh.count > 0) {
		if (n->answer.count > 0)
			dns_answer_prefer(&fresh, &n->answer.list[0]);
		dns_answer_release(&n->answer);
		n->answer = fresh;
		return;
	}
	dns_answer_release(&fresh);
	fail(n, ARES_ENODATA);
}

static void ask_queued(struct dns *d);

static void on_answer(void *arg, int status, int timeouts, struct ares_addrinfo *info)
{
	struct dns_name *n = arg;
	struct dns *d = n->dns;
	double ttl = is_definite(status) ? DNS_TTL_NEGATIVE : DNS_TTL_FAILED;

	(void)timeouts;
	if (status == ARES_EDESTRUCTION)
		return;
	if (status == ARES_SUCCESS) {
		ttl = smallest_ttl(info);
		take(d, n, info);
		ares_freeaddrinfo(info);
	} else {
		fail(n, status);
		if (n->answer.failure == NET_FAILURE_LOCAL)
			ttl = 0;
	}
	settle(d, n, ttl);
	ask_queued(d);
}

/* ---- asking ---- */

/* A server may answer before the call is over: from /etc/hosts, or because none can be reached. */
static void ask_queued(struct dns *d)
{
	static const struct ares_addrinfo_hints HINTS = {
		.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};

	while (d->cache.queued.first && d->cache.asked.len < DNS_ASKED_MAX) {
		struct dns_name *n = d->cache.queued.first;

		dns_cache_move(&d->cache, n, &d->cache.asked);
		ares_getaddrinfo(d->channel, n->text, NULL, &HINTS, on_answer, n);
	}
}

static bool ends_in(slice name, slice label)
{
	if (name.len > 1 && name.ptr[name.len - 1] == '.')
		name.len--;
	return name.len >= label.len &&
	       strncasecmp(name.ptr + name.len - label.len, label.ptr, label.len) == 0;
}

/* Names that are not to be asked for (RFC 6761, sections 6.3 and 6.4). */
static bool answer_special(struct dns *d, struct dns_name *n, slice name)
{
	static const struct address LOOPBACK[] = {
		{ADDRESS_V4_SIZE, {127, 0, 0, 1}}, {ADDRESS_V6_SIZE, {[15] = 1}}};
	bool local = address_name_is_local(name);

	if (!local && !ends_in(name, SLICE(".invalid")) && name.len <= DNS_NAME_MAX)
		return false;
	fail(n, name.len <= DNS_NAME_MAX ? ARES_ENOTFOUND : ARES_EBADNAME);
	if (local) {
		n->answer.list = mem_new(1, sizeof LOOPBACK);
		memcpy(n->answer.list, LOOPBACK, sizeof LOOPBACK);
		n->answer.count = sizeof LOOPBACK / sizeof LOOPBACK[0];
		n->answer.failure = NET_FAILURE_NONE;
		n->answer.no_name = false;
	}
	settle(d, n, DNS_TTL_MAX);
	return true;
}

/* A name that is new, or whose answer is too old. */
static int begin(struct dns *d, slice name, struct dns_name *n, struct dns_waiter *w)
{
	if (!n && !(n = dns_cache_add(&d->cache, name)))
		return ERR_NOMEM;
	n->dns = d;
	dns_waiters_append(&n->waiters, w);
	if (!answer_special(d, n, name)) {
		dns_cache_move(&d->cache, n, &d->cache.queued);
		ask_queued(d);
	}
	return 0;
}

int dns_ask(struct dns *d, slice name, struct dns_waiter *w)
{
	struct dns_name *n = dns_cache_find(&d->cache, name);
	bool known = n && n->list == &d->cache.known;

	if (!n || (known && now(d) >= n->expires))
		return begin(d, name, n, w);
	if (!known) {
		dns_waiters_append(&n->waiters, w);
		return 0;
	}
	dns_cache_move(&d->cache, n, &d->cache.known);
	w->answered(w, &n->answer);
	return 0;
}

void dns_prefer(struct dns *d, slice name, const struct address *address)
{
	struct dns_name *n = dns_cache_find(&d->cache, name);

	if (n && n->answer.count > 1)
		dns_answer_prefer(&n->answer, address);
}

/* ---- the loop ---- */

static void on_socket(void *data, ares_socket_t fd, int readable, int writable)
{
	const struct dns *d = data;
	struct epoll_event event = {.events = (readable ? EPOLLIN : 0) | (writable ? EPOLLOUT : 0),
		.data.u64 = d->params.mark | (uint32_t)fd};

	if (!readable && !writable)
		(void)epoll_ctl(d->params.epoll, EPOLL_CTL_DEL, fd, NULL);
	else if (epoll_ctl(d->params.epoll, EPOLL_CTL_MOD, fd, &event) < 0 && errno == ENOENT)
		/* Where that fails, the query ends by its timeout. */
		(void)epoll_ctl(d->params.epoll, EPOLL_CTL_ADD, fd, &event);
}

void dns_ready(struct dns *d, int fd, uint32_t events)
{
	bool broken = (events & (EPOLLERR | EPOLLHUP)) != 0;

	ares_process_fd(d->channel, (events & EPOLLIN) || broken ? fd : ARES_SOCKET_BAD,
		(events & EPOLLOUT) ? fd : ARES_SOCKET_BAD);
}

int64_t dns_deadline(const struct dns *d)
{
	struct timeval left, *tv;

	if (d->cache.asked.len == 0)
		return INT64_MAX;
	tv = ares_timeout(d->channel, NULL, &left);
	if (!tv)
		return INT64_MAX;
	return clock_monotonic(clock_system()) +
	       ((int64_t)tv->tv_sec * US_PER_SECOND + tv->tv_usec) * NS_PER_US;
}

void dns_run(struct dns *d)
{
	ares_process_fd(d->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

/* ---- beginning and end ---- */

static int open_channel(struct dns *d, struct err *err)
{
	struct ares_options options = {
		.flags = ARES_FLAG_NOSEARCH, /* a URL's name is whole */
		.timeout = TIMEOUT_MS,
		.tries = TRIES,
		.sock_state_cb = on_socket,
		.sock_state_cb_data = d,
	};
	int status = ares_init_options(&d->channel, &options,
		ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);

	if (status != ARES_SUCCESS) {
		d->channel = NULL;
		return err_set(err, status == ARES_ENOMEM ? ERR_NOMEM : ERR_IO, "c-ares: %s",
			ares_strerror(status));
	}
	if (d->params.servers &&
		ares_set_servers_ports_csv(d->channel, d->params.servers) != ARES_SUCCESS)
		return err_set(err, ERR_USAGE,
			"'%.60s' is not a list of DNS servers such as 192.0.2.1,192.0.2.2:5353",
			d->params.servers);
	return 0;
}

int dns_new(const struct dns_params *params, struct dns **ret, struct err *err)
{
	struct dns *d = mem_new(1, sizeof *d);
	int rc;

	d->params = *params;
	dns_cache_init(&d->cache, params->cache_max ? params->cache_max : DNS_CACHE_MAX);
	rc = open_channel(d, err);
	if (rc) {
		dns_free(d);
		return rc;
	}
	*ret = d;
	return 0;
}

void dns_free(struct dns *d)
{
	if (!d)
		return;
	if (d->channel)
		ares_destroy(d->channel);
	dns_cache_release(&d->cache);
	free(d);
}
